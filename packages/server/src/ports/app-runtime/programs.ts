// Finds the programs of the system that set sandboxes up, such as bubblewrap and nft.
import { existsSync } from 'node:fs'

/** The path of the program. Only looks in directories of the system. */
export function programAt(name: string): string | undefined {
  const dirs = ['/usr/bin', '/usr/local/bin', '/bin', '/usr/sbin', '/sbin']
  return dirs.map(dir => `${dir}/${name}`).find(file => existsSync(file))
}
