// A second version of Node for tests: a script that says another version, and otherwise is the Node that runs the tests.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

export const otherVersion = '99.1.2'

const script = `#!/bin/sh
if [ "$1" = --version ]; then echo v${otherVersion}; exit; fi
OTHER_NODE=v${otherVersion} exec ${process.execPath} "$@"
`

/** The sandbox shows programs below /usr. It hides a Node that is elsewhere from a script that takes its place. */
export const canHaveOtherNode = process.execPath.startsWith('/usr/')

/** A folder for SVCD_NODE_DIR. */
export function otherNodeDir(): string {
  const dir = mkdtempSync(path.join(tmpdir(), 'svc-nodes-'))
  writeProgram(path.join(dir, 'other'), script)
  writeProgram(path.join(dir, 'broken'), 'not a program')
  mkdirSync(path.join(dir, 'empty'))
  return dir
}

function writeProgram(folder: string, text: string): void {
  mkdirSync(path.join(folder, 'bin'), { recursive: true })
  const program = path.join(folder, 'bin', 'node')
  writeFileSync(program, text)
  chmodSync(program, 0o755)
}

export const removeNodeDir = (dir: string): void => rmSync(dir, { recursive: true })
