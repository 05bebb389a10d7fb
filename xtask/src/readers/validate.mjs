// Checks GLB files with the Khronos validator; arguments: its folder, files.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const [folder, ...files] = process.argv.slice(2);
const validator = createRequire(import.meta.url)(folder);
for (const file of files) {
  const report = await validator.validateBytes(new Uint8Array(readFileSync(file)));
  const { numErrors, numWarnings, messages } = report.issues;
  if (numErrors + numWarnings > 0) {
    console.error(JSON.stringify(messages.slice(0, 10), null, 2));
    process.exit(1);
  }
  const { animationCount, drawCallCount, hasMorphTargets } = report.info;
  if (!hasMorphTargets || animationCount !== 1) {
    console.error(`${file}: no animation of morph targets`);
    process.exit(1);
  }
  console.log(`${file}: valid glTF, ${drawCallCount} draw calls`);
}
