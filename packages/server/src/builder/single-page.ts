// The rule of a single-page app in the output of a build: added if svc.json asks for it, and named if it seems to be missing.
import { randomUUID } from 'node:crypto'
import { rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import {
  type BuildPlan,
  looksLikeSinglePage,
  type Output,
  singlePageHint,
  singlePageRules,
} from '@svc/contract/project'
import { diskFiles } from '@svc/contract/project/disk'
import type { Extent } from '@svc/contract/site'
import { readSettings } from '../core/builds/settings.ts'
import type { Job } from './job.ts'
import { listOutput } from './output-files.ts'

/** Only for static sites: a server answers for its paths itself. */
export async function completeSinglePage(
  job: Job,
  plan: BuildPlan,
  output: Output,
  { dir, extent }: { dir: string; extent: Extent },
): Promise<void> {
  if (output.server || plan.hasStart) return
  const { spa } = await readSettings(diskFiles(job.dir), plan.dir)
  const { read } = diskFiles(dir)
  if (spa === true) {
    const rules = await singlePageRules(read)
    if (rules) await replace(dir, rules.path, rules.text)
    job.log.line('Every path without a file shows index.html ("spa" in svc.json).')
  } else if (spa === undefined && (await looksLikeSinglePage((await listOutput(dir, extent)).files, read)))
    job.log.line(`Warning: ${singlePageHint}`)
}

/** By a rename: the build may have made a symbolic link of this name, which must not be followed. */
async function replace(dir: string, name: string, text: string): Promise<void> {
  const made = path.join(dir, `.svc-${randomUUID()}`)
  await writeFile(made, text, { flag: 'wx', mode: 0o644 })
  await rename(made, path.join(dir, name))
}
