// What svc.json of a repository says about its build. The file is untrusted.
import { below, type ProjectFiles } from '@svc/contract/project'
import {
  type BuildSettings,
  buildSettingsOf,
  InvalidSettings,
  normalPath,
  parseSettings,
  settingsFile,
} from '@svc/contract/site'
import { Fault } from '../../lib/fault.ts'

const bytesAtMost = 64 * 1024

/** Reads svc.json of the folder that is built. `output` and `dockerfile` are paths without `.` and empty segments. */
export async function readSettings(files: ProjectFiles, dir: string): Promise<BuildSettings> {
  const file = below(dir, settingsFile)
  if (!(await files.hasFile(file))) return buildSettingsOf({})
  const text = await files.read(file, bytesAtMost)
  if (text === undefined) throw unusable(`${file} is larger than 64 KB. Shorten it.`)
  try {
    const said = buildSettingsOf(parseSettings(text, file), file)
    const { output, dockerfile } = said
    return {
      ...said,
      output: output && pathOf(file, 'output', output, 'a folder', 'dist'),
      dockerfile: dockerfile && pathOf(file, 'dockerfile', dockerfile, 'a file', 'Dockerfile'),
    }
  } catch (error) {
    throw error instanceof InvalidSettings ? unusable(error.message) : error
  }
}

function pathOf(file: string, key: string, path: string, kind: string, such: string): string {
  if (path.startsWith('/') || path.includes('\\') || path.split('/').includes('..'))
    throw new InvalidSettings(
      `"${key}" in ${file} must be ${kind} inside the folder that is built, such as "${such}".`,
    )
  return normalPath(path)
}

const unusable = (problem: string): Fault => new Fault('invalid_request', `${problem} Then push again.`)
