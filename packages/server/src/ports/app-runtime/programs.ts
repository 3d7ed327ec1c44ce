// Programs of the system that the walls are made with.
import { existsSync } from 'node:fs'

/** Only from directories that belong to the system. */
export function programAt(name: string): string | undefined {
  const dirs = ['/usr/bin', '/usr/local/bin', '/bin', '/usr/sbin', '/sbin']
  return dirs.map(dir => `${dir}/${name}`).find(file => existsSync(file))
}
