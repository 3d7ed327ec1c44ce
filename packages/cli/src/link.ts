// svc.json, the file that links a directory to its project. Only its `project` is ours.
import { accessSync, constants, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { errorCode, Failure, fileFailure } from './failure.ts'
import type { OptionValues } from './options.ts'
import { parseObject } from './private-file.ts'

const linkFile = 'svc.json'

/** The project that a command is about: `--project`, else the one linked here. */
export function requireProject(options: OptionValues): string {
  const project = options.project ?? linkedProject()
  if (!project) throw new Failure("No linked project here. Run 'svc init' first, or pass --project <name>.")
  return project
}

export function linkedProject(): string | undefined {
  const { project } = readLink()
  return typeof project === 'string' && project !== '' ? project : undefined
}

interface PreparedLink {
  /** Links the directory. The bytes are written already, so that this needs neither room nor further rights. */
  keep: () => void
  drop: () => void
}

/** Writes the link beside its place, before a project is made that could then not be linked. Other keys in the file stay. */
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
