// The environment of an app that runs as a process.
import path from 'node:path'
import type { AppSpec } from '../port.ts'

export const programs = [
  ...new Set([path.dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin']),
].join(':')

export function environmentOf(
  spec: AppSpec,
  port: number,
  marks: Record<string, string>,
): Record<string, string> {
  return {
    PATH: programs,
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
