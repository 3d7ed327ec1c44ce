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

/** Reads svc.json of the folder that is built. `output` is a path without `.` and empty segments. */
export async function readSettings(files: ProjectFiles, dir: string): Promise<BuildSettings> {
  const file = below(dir, settingsFile)
  if (!(await files.hasFile(file)))
    return { build: undefined, output: undefined, spa: undefined, node: undefined }
  const text = await files.read(file, bytesAtMost)
  if (text === undefined) throw unusable(`${file} is larger than 64 KB. Shorten it.`)
  try {
    const { build, output, spa, node } = buildSettingsOf(parseSettings(text, file), file)
    return { build, output: output && folderOf(file, output), spa, node }
  } catch (error) {
    throw error instanceof InvalidSettings ? unusable(error.message) : error
  }
}

function folderOf(file: string, output: string): string {
  if (output.startsWith('/') || output.includes('\\') || output.split('/').includes('..'))
    throw new InvalidSettings(
      `"output" in ${file} must be a folder inside the folder that is built, such as "dist".`,
    )
  return normalPath(output)
}

const unusable = (problem: string): Fault => new Fault('invalid_request', `${problem} Then push again.`)
