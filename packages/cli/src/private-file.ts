// JSON files that only their owner may read: whole or not there at all, and never readable by others in between.
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { errorCode, Failure, fileFailure } from './failure.ts'

export function readPrivateJson(path: string): Record<string, unknown> | undefined {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw fileFailure('read', path, error)
  }
  return parseObject(path, text)
}

export function writePrivateJson(path: string, value: object): void {
  const temporary = `${path}.${process.pid}.tmp`
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    rmSync(temporary, { force: true })
    writeFileSync(temporary, `${JSON.stringify(value)}\n`, { mode: 0o600, flag: 'wx', flush: true })
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw fileFailure('write', path, error)
  }
}

/** Removes the file and tells whether there was one. */
export function removeFile(path: string): boolean {
  try {
    rmSync(path)
    return true
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false
    throw fileFailure('remove', path, error)
  }
}

export function parseObject(path: string, text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    // Arrays, numbers and null hold none of the keys we look for.
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch (cause) {
    throw new Failure(`${path} is not valid JSON. Correct or remove it.`, { cause })
  }
}
