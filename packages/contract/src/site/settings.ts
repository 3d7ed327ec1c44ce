// svc.json, the file that links a directory to its project. It may also say how the project is built: `svc deploy --build` and
// git builds read that by the same rules.

import { parseBytes } from '../bytes.ts'

export const settingsFile = 'svc.json'

/** Says what is wrong with svc.json, and what to do. */
export class InvalidSettings extends Error {
  override readonly name = 'InvalidSettings'
}

/** A longer release or seed command does not fit into the URL of an upload. */
export const releaseChars = 1000

export interface BuildSettings {
  /** The build command. */
  build: string | undefined
  /** The folder that the build makes. */
  output: string | undefined
  /** Whether every path without a file shows index.html. */
  spa: boolean | undefined
  /** The version of Node that it asks for: `22`, `>=20`. */
  node: string | undefined
  /** The Dockerfile that builds and starts it, instead of what its other files say. */
  dockerfile: string | undefined
  /** The command that runs once for each deploy of a server, before it goes live. */
  release: string | undefined
  /** The command that fills the new database and the new disk of a preview. */
  seed: string | undefined
  /** The disk that the app needs. */
  disk: DiskSetting | undefined
}

export interface DiskSetting {
  /** As it is written: `5GB`. */
  size: string | undefined
  sizeBytes: number | undefined
  path: string | undefined
  /** Whether two instances may have it at a time. */
  shared: boolean | undefined
}

/** Reads a JSON file. A file without an object has none of the keys. */
export function parseSettings(text: string, file: string = settingsFile): Record<string, unknown> {
  try {
    // Some editors begin a file with a byte order mark.
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''))
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch (cause) {
    throw new InvalidSettings(`${file} is not valid JSON. Correct or remove it.`, { cause })
  }
}

export const buildSettingsOf = (
  { build, output, spa, node, dockerfile, release, seed, disk }: Record<string, unknown>,
  file: string = settingsFile,
): BuildSettings => ({
  build: textOf(file, 'build', build),
  output: textOf(file, 'output', output),
  spa: flagOf(file, 'spa', spa),
  node: textOf(file, 'node', typeof node === 'number' ? String(node) : node),
  dockerfile: textOf(file, 'dockerfile', dockerfile),
  release: lineOf(file, 'release', release),
  seed: lineOf(file, 'seed', seed),
  disk: diskOf(file, disk),
})

function textOf(file: string, key: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string' && value.trim() !== '' && !value.includes('\0')) return value
  throw new InvalidSettings(`"${key}" in ${file} must be a text that is not empty.`)
}

function lineOf(file: string, key: string, value: unknown): string | undefined {
  const line = textOf(file, key, value)?.trim()
  if (line === undefined || line.length <= releaseChars) return line
  throw new InvalidSettings(
    `"${key}" in ${file} is longer than ${releaseChars} characters. Put the commands into a script, and name that.`,
  )
}

function diskOf(file: string, value: unknown): DiskSetting | undefined {
  if (value === undefined || value === null) return undefined
  const { size, path, shared, ...others } = value as Record<string, unknown>
  const sizeBytes = typeof size === 'string' ? parseBytes(size) : undefined
  const isObject = typeof value === 'object' && !Array.isArray(value) && Object.keys(others).length === 0
  const isSize = size === undefined || sizeBytes !== undefined
  const isPath = path === undefined || (typeof path === 'string' && /^\/[\w./-]{1,200}$/.test(path))
  const isFlag = shared === undefined || typeof shared === 'boolean'
  if (!isObject || !isSize || !isPath || !isFlag)
    throw new InvalidSettings(
      `"disk" in ${file} must be as in { "size": "5GB", "path": "/data", "shared": true }, or without some of them.`,
    )
  return { size: size as string | undefined, sizeBytes, path: path as string | undefined, shared }
}

/** The command that gives a project the disk. */
export const diskCommand = ({ size, path, shared }: DiskSetting): string =>
  [
    'svc disk add',
    ...(size === undefined ? [] : [`--size ${size.replace(/\s/g, '')}`]),
    ...(path === undefined ? [] : [`--path ${path}`]),
    ...(shared === undefined ? [] : [shared ? '--shared' : '--unshared']),
  ].join(' ')

function flagOf(file: string, key: string, value: unknown): boolean | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'boolean') return value
  throw new InvalidSettings(`"${key}" in ${file} must be true or false.`)
}
