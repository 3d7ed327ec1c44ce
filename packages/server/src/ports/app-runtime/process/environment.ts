// The environment of an app that runs as a process.
import path from 'node:path'
import type { AppSpec } from '../port.ts'
import { insideAskedNode, insideNode } from './node-inside.ts'
import type { NodeInstall } from './node-installs.ts'

const pathWith = (...programs: string[]): string =>
  [...new Set([...programs.map(it => path.dirname(it)), '/usr/local/bin', '/usr/bin', '/bin'])].join(':')

/** The PATH of sandboxed apps and builds. */
export const insidePath = (node: NodeInstall | undefined): string =>
  node ? pathWith(insideAskedNode, insideNode) : pathWith(insideNode)

/** The PATH of apps and builds without a sandbox. If the Node has no npm, they find that of svcd's own Node. */
export const outsidePath = (node: NodeInstall | undefined): string =>
  node ? pathWith(node.program, process.execPath) : pathWith(process.execPath)

export function environmentOf(
  spec: AppSpec,
  port: number,
  marks: Record<string, string>,
  isSandboxed: boolean,
  node?: NodeInstall,
): Record<string, string> {
  return {
    PATH: isSandboxed ? insidePath(node) : outsidePath(node),
    HOME: '/tmp',
    LANG: 'C.UTF-8',
    // The servers of some frameworks listen on HOST. An app may set it, but not PORT and HOSTNAME.
    HOST: '127.0.0.1',
    ...(spec.disk && { SVC_DISK: isSandboxed ? spec.disk.path : spec.disk.dir }),
    ...spec.env,
    PORT: String(port),
    HOSTNAME: '127.0.0.1',
    ...marks,
  }
}
