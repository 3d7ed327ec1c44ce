// svc.json, the file that links a directory to its project. Only its `project` is ours.
import { readFileSync, writeFileSync } from 'node:fs'
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

/** Other keys in the file are left as they are. */
export function linkProject(project: string): void {
  const link = { ...readLink(), project }
  try {
    writeFileSync(linkFile, `${JSON.stringify(link, null, 2)}\n`)
  } catch (error) {
    throw fileFailure('write', linkFile, error)
  }
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
