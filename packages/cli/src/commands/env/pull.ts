// Writes the variables of a project into a dotenv file.
import { existsSync } from 'node:fs'
import { dotenvLine } from '@svc/contract/dotenv'
import { environments, variablesIn } from '@svc/contract/environments'
import type { Run } from '../../command.ts'
import { Failure } from '../../failure.ts'
import { requireProject } from '../../link.ts'
import { count, notice, print } from '../../output.ts'
import { writePrivateText } from '../../private-file.ts'
import { connect, required } from '../../session.ts'
import { targetOf } from './target.ts'

export const pullEnv: Run = async ({ args: [file = '.env'], options }) => {
  const name = requireProject(options)
  const { branch, environment = branch === undefined ? 'production' : 'preview' } = targetOf(options)
  if (existsSync(file) && !options.yes)
    throw new Failure(`${file} exists already. Name another file, or replace this one with --yes.`)
  const answer = await connect()('GET /projects/:name/env', { params: { name } })
  // A server of an older version knows neither environments nor secrets.
  const all = required(answer, 'env').map(it => ({
    ...{ key: it.key ?? '', value: it.value ?? '', branch: it.branch ?? null, secret: it.secret === true },
    environments: environments.filter(other => it.environments?.includes(other) ?? true),
  }))
  const chosen = variablesIn(all, { environment, branch })
  const lines = chosen.map(it =>
    it.secret ? `# ${it.key} is secret: its value cannot be read` : dotenvLine(it),
  )
  writePrivateText(file, lines.map(line => `${line}\n`).join(''))
  const secrets = chosen.filter(({ secret }) => secret)
  print(`Wrote ${count(chosen.length - secrets.length, 'variable')} of ${environment} to ${file}.`)
  if (secrets.length > 0) notice(`Secret, so without a value: ${secrets.map(({ key }) => key).join(', ')}`)
}
