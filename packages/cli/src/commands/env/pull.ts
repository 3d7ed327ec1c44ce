// Writes the variables of a project into a dotenv file.
import { existsSync } from 'node:fs'
import { dotenvLine } from '@svc/contract/dotenv'
import type { Run } from '../../command.ts'
import { Failure } from '../../failure.ts'
import { git } from '../../git.ts'
import { requireProject } from '../../link.ts'
import { count, notice, print, warn } from '../../output.ts'
import { writePrivateText } from '../../private-file.ts'
import { targetOf } from './target.ts'
import { readVariables } from './variables.ts'

export const pullEnv: Run = async ({ args: [file = '.env'], options }) => {
  const name = requireProject(options)
  const { branch, environment = branch === undefined ? 'production' : 'preview' } = targetOf(options)
  if (existsSync(file) && !options.yes)
    throw new Failure(`${file} exists already. Name another file, or replace this one with --yes.`)
  const chosen = await readVariables(name, { environment, ...(branch !== undefined && { branch }) })
  const lines = chosen.map(it =>
    it.secret ? `# ${it.key} is secret: its value cannot be read` : dotenvLine(it),
  )
  writePrivateText(file, lines.map(line => `${line}\n`).join(''))
  const secrets = chosen.filter(({ secret }) => secret)
  print(`Wrote ${count(chosen.length - secrets.length, 'variable')} of ${environment} to ${file}.`)
  if (await isSeenByGit(file))
    warn(`git does not ignore ${file}. Add it to .gitignore, so that no commit has its values.`)
  if (secrets.length > 0) notice(`Secret, so without a value: ${secrets.map(({ key }) => key).join(', ')}`)
}

/** Whether a commit of everything would have the file. */
const isSeenByGit = async (file: string): Promise<boolean> =>
  (await git('.', 'status', '--porcelain', '--untracked-files=all', '--', file)) !== undefined
