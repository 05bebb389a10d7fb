// Pictures of one size as one animated PNG: their data is taken over as it is.

import zlib from "node:zlib";

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

const TABLE = Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c >>> 0;
});

// Older versions of Node have none of their own.
const crc32 = zlib.crc32 ?? ((bytes) => {
  let c = 0xffffffff;
  for (const byte of bytes) c = TABLE[(c ^ byte) & 0xff] ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
});

const number = (value) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

function chunk(kind, ...parts) {
  const body = Buffer.concat([Buffer.from(kind, "latin1"), ...parts]);
  return Buffer.concat([number(body.length - 4), body, number(crc32(body))]);
}

/** Chunks of a PNG by kind, in order. */
function chunks(png) {
  const found = [];
  for (let at = 8; at < png.length;) {
    const length = png.readUInt32BE(at);
    found.push({ kind: png.toString("latin1", at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) });
    at += 12 + length;
  }
  return found;
}

/** An animation that repeats, with so many ms for each picture; all must have the same header. */
export function animation(pictures, ms) {
  const all = pictures.map(chunks);
  const header = all[0].find(({ kind }) => kind === "IHDR").data;
  if (all.some((one) => !one.find(({ kind }) => kind === "IHDR").data.equals(header))) throw new Error("the pictures differ in size or depth");
  const out = [SIGNATURE, chunk("IHDR", header), chunk("acTL", number(pictures.length), number(0))];
  let sequence = 0;
  all.forEach((picture, k) => {
    const delay = Buffer.alloc(6);
    delay.writeUInt16BE(ms, 0);
    delay.writeUInt16BE(1000, 2);
    out.push(chunk("fcTL", number(sequence++), header.subarray(0, 8), number(0), number(0), delay));
    for (const { kind, data } of picture) {
      if (kind !== "IDAT") continue;
      out.push(k === 0 ? chunk("IDAT", data) : chunk("fdAT", number(sequence++), data));
    }
  });
  return Buffer.concat([...out, chunk("IEND")]);
}
