// Files that are dropped onto the page; they never leave the machine.

/** Bytes of a file at most, as in crates/pliant-web/src/dropped.rs. */
const MOST = 200 * 2 ** 20;

/** Listens for files; `take` gets all of a drop at once. */
export function listen(root: HTMLElement, take: (files: File[]) => void, signal: AbortSignal): void {
  const over = (on: boolean) => root.classList.toggle("dropping", on);
  window.addEventListener("dragover", (event) => {
    event.preventDefault();
    over(true);
  }, { signal });
  window.addEventListener("dragleave", (event) => event.relatedTarget === null && over(false), { signal });
  window.addEventListener("drop", (event) => {
    event.preventDefault();
    over(false);
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length > 0) take(files);
  }, { signal });
}

/** Why a file cannot be read, before it is. */
export function tooLarge(files: File[]): string | null {
  const large = files.find((file) => file.size > MOST);
  if (!large) return null;
  const size = Math.round(large.size / 2 ** 20);
  return `${large.name} has ${size} MB, and this page reads up to ${MOST / 2 ** 20} MB; read it with the program: pliant check ${large.name}`;
}

/** The file that makes the scene: a scene before a mesh; others are what it names. */
export function leading(files: File[]): File {
  return files.find((file) => /\.toml$/i.test(file.name)) ?? files[0];
}

/** Lets the browser save bytes as a file. */
export function download(name: string, bytes: Uint8Array<ArrayBuffer>): void {
  const url = URL.createObjectURL(new Blob([bytes], { type: "application/octet-stream" }));
  const anchor = Object.assign(document.createElement("a"), { href: url, download: name });
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
