// Makes the names in a directory durable: files that were created, renamed or removed in it.
import { closeSync, fsyncSync, openSync } from 'node:fs'

export function syncDirectory(dir: string): void {
  const directory = openSync(dir, 'r')
  try {
    fsyncSync(directory)
  } finally {
    closeSync(directory)
  }
}
