// The environment of an app that runs as a process.
import path from 'node:path'
import type { AppSpec } from '../port.ts'
import { insideNode } from './node-inside.ts'

const pathWith = (node: string): string =>
  [...new Set([path.dirname(node), '/usr/local/bin', '/usr/bin', '/bin'])].join(':')

/** The PATH of sandboxed apps and builds. */
export const insidePath = pathWith(insideNode)
const outsidePath = pathWith(process.execPath)

export function environmentOf(
  spec: AppSpec,
  port: number,
  marks: Record<string, string>,
  isSandboxed: boolean,
): Record<string, string> {
  return {
    PATH: isSandboxed ? insidePath : outsidePath,
    HOME: '/tmp',
    LANG: 'C.UTF-8',
    // The servers of some frameworks listen on HOST. An app may set it, but not PORT and HOSTNAME.
    HOST: '127.0.0.1',
    ...spec.env,
    PORT: String(port),
    HOSTNAME: '127.0.0.1',
    ...marks,
  }
}
