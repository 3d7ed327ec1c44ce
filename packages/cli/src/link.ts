// svc.json, the file that links a directory to its project. It may also say how the project is built.
import { accessSync, constants, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { errorCode, Failure, fileFailure } from './failure.ts'
import type { OptionValues } from './options.ts'
import { parseObject } from './private-file.ts'

const linkFile = 'svc.json'

/** Returns the project that a command is about: `--project`, or the one in svc.json. */
export function requireProject(options: OptionValues): string {
  const project = options.project ?? linkedProject()
  if (!project) throw new Failure("No linked project here. Run 'svc init' first, or pass --project <name>.")
  return project
}

export function linkedProject(): string | undefined {
  const { project } = readLink()
  return typeof project === 'string' && project !== '' ? project : undefined
}

interface BuildSettings {
  /** The build command. */
  build: string | undefined
  /** The folder that the build makes. */
  output: string | undefined
}

export function buildSettings(): BuildSettings {
  const { build, output } = readLink()
  return { build: textOf('build', build), output: textOf('output', output) }
}

function textOf(key: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string' && value.trim() !== '') return value
  throw new Failure(`"${key}" in ${linkFile} must be a text that is not empty.`)
}

interface PreparedLink {
  /** Links the directory by a rename. The bytes are on the disk already, so a full disk cannot make this fail. */
  keep: () => void
  drop: () => void
}

/** Writes the new svc.json to a temporary file, before the project is created. Other keys in the file are kept. */
export function prepareLink(project: string): PreparedLink {
  const link = { ...readLink(), project }
  const prepared = `${linkFile}.${process.pid}.tmp`
  const drop = () => rmSync(prepared, { force: true })
  try {
    if (existsSync(linkFile)) accessSync(linkFile, constants.W_OK)
    writeFileSync(prepared, `${JSON.stringify(link, null, 2)}\n`)
  } catch (error) {
    drop()
    throw fileFailure('write', linkFile, error)
  }
  return { drop, keep: () => renameSync(prepared, linkFile) }
}

function readLink(): Record<string, unknown> {
  let text: string
  try {
    text = readFileSync(linkFile, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return {}
    throw fileFailure('read', linkFile, error)
  }
  return parseObject(linkFile, text)
}
