// svc.json, the file that links a directory to its project. It may also say how the project is built.
import { accessSync, constants, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import {
  type BuildSettings,
  buildSettingsOf,
  type DiskSetting,
  InvalidSettings,
  settingsFile as linkFile,
} from '@svc/contract/site'
import { errorCode, Failure, fileFailure } from './failure.ts'
import type { OptionValues } from './options.ts'
import { parseObject } from './private-file.ts'

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

export const buildSettings = (): BuildSettings => checked(readLink())

/** Whether every path without a file shows index.html. `undefined` if svc.json does not say. */
export const singlePageSetting = (): boolean | undefined => checked({ spa: readLink().spa }).spa

/** The version of Node that svc.json asks for. */
export const nodeSetting = (): string | undefined => checked({ node: readLink().node }).node

/** The command that svc.json runs before a deployment of a server goes live. */
export const releaseSetting = (): string | undefined => checked({ release: readLink().release }).release

/** The command of svc.json that fills the new database and the new disk of a preview. */
export const seedSetting = (): string | undefined => checked({ seed: readLink().seed }).seed

/** The disk that svc.json asks for. */
export const diskSetting = (): DiskSetting | undefined => checked({ disk: readLink().disk }).disk

function checked(settings: Record<string, unknown>): BuildSettings {
  try {
    return buildSettingsOf(settings)
  } catch (error) {
    throw error instanceof InvalidSettings ? new Failure(error.message) : error
  }
}

interface PreparedLink {
  /** Links the directory by a rename. The bytes are on the disk already, so a full disk cannot make this fail. */
  keep: () => void
  drop: () => void
}

/** Notes in svc.json whether every path without a file shows index.html. */
export function saveSinglePage(spa: boolean): void {
  prepare({ ...readLink(), spa }).keep()
}

/** Writes the new svc.json to a temporary file, before the project is created. Other keys in the file are kept. */
export const prepareLink = (project: string): PreparedLink => prepare({ ...readLink(), project })

function prepare(link: Record<string, unknown>): PreparedLink {
  const prepared = `${linkFile}.${process.pid}.tmp`
  const drop = () => rmSync(prepared, { force: true })
  try {
    if (existsSync(linkFile)) accessSync(linkFile, constants.W_OK)
    writeFileSync(prepared, `${JSON.stringify(link, null, 2)}\n`)
  } catch (error) {
    drop()
    throw fileFailure('write', linkFile, error)
  }
  const keep = () => {
    try {
      renameSync(prepared, linkFile)
    } catch (error) {
      throw fileFailure('write', linkFile, error)
    }
  }
  return { drop, keep }
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
