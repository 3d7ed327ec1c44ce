// Reads and writes files, most of them JSON, that only their owner may read. A file is replaced at once, never half written.
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { parseSettings } from '@svc/contract/site'
import { errorCode, Failure, fileFailure } from './failure.ts'

export function readPrivateJson(path: string): Record<string, unknown> | undefined {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    // Some services set HOME=/dev/null to say that there is no home directory.
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return undefined
    throw fileFailure('read', path, error)
  }
  return parseObject(path, text)
}

/** Fails if no file can be written at the path. */
export function checkPrivatePlace(path: string): void {
  try {
    makeDirectory(dirname(path))
    accessSync(dirname(path), constants.W_OK)
  } catch (error) {
    throw fileFailure('write', path, error)
  }
}

export const writePrivateJson = (path: string, value: object): void =>
  writePrivateText(path, `${JSON.stringify(value)}\n`)

export function writePrivateText(path: string, text: string): void {
  const temporary = `${path}.${process.pid}.tmp`
  try {
    makeDirectory(dirname(path))
    rmSync(temporary, { force: true })
    writeFileSync(temporary, text, { mode: 0o600, flag: 'wx', flush: true })
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw fileFailure('write', path, error)
  }
}

/**
 * Creates a directory and its parents. Node's recursive mkdir never returns on a file system that answers ENOENT, such
 * as /proc.
 */
function makeDirectory(dir: string): void {
  if (existsSync(dir)) return
  makeDirectory(dirname(dir))
  mkdirSync(dir, { mode: 0o700 })
}

/** Removes the file and tells whether there was one. */
export function removeFile(path: string): boolean {
  try {
    rmSync(path)
    return true
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return false
    throw fileFailure('remove', path, error)
  }
}

export function parseObject(path: string, text: string): Record<string, unknown> {
  try {
    return parseSettings(text, path)
  } catch (cause) {
    throw new Failure((cause as Error).message, { cause })
  }
}
