// Finds the files that belong to svcd: entry points of threads and processes, and data. The program runs from dist/ in tests and
// from bundle/ otherwise, and both have the entry points at the same paths.

const root = new URL('./', import.meta.url)

/** `path` starts at the folder of the compiled program: `threads/unpack-thread.js`, `../plans.json`. */
export const programFile = (path: string): URL => new URL(path, root)
