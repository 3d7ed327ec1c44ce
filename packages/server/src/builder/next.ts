// Completes a standalone build of Next.js, which leaves out two folders and nests the server in a monorepo.
import { cp, lstat, writeFile } from 'node:fs/promises'
import path from 'node:path'

/** https://nextjs.org/docs/app/api-reference/config/next-config-js/output */
export async function assembleNext(
  source: string,
  standalone: string,
  rootDir: string | null,
): Promise<void> {
  const isNested = rootDir !== null && !(await isThere(path.join(standalone, 'server.js')))
  const server = isNested ? path.join(standalone, rootDir) : standalone
  await copy(path.join(source, '.next', 'static'), path.join(server, '.next', 'static'))
  await copy(path.join(source, 'public'), path.join(server, 'public'))
  if (isNested)
    await writeFile(path.join(standalone, 'Procfile'), `web: node ${rootDir}/server.js\n`, { flag: 'wx' })
}

/** Copies symbolic links as links. */
async function copy(from: string, to: string): Promise<void> {
  if (await isThere(from)) await cp(from, to, { recursive: true, verbatimSymlinks: true, force: false })
}

async function isThere(file: string): Promise<boolean> {
  try {
    return !(await lstat(file)).isSymbolicLink()
  } catch {
    return false // It does not exist.
  }
}
