// The repositories that the platform hosts: their sizes, and deleting one.
import type { StoredRepository } from '@svc/contract'
import type { Sparse } from '@svc/contract/client'
import type { Run } from '../../command.ts'
import { Failure } from '../../failure.ts'
import { bold, clean, dim, print, printJson, printTable, size } from '../../output.ts'
import { confirmByName } from '../../prompt.ts'
import { connect, required } from '../../session.ts'

export const listRepos: Run = async ({ options }) => {
  const answer = await connect()('GET /repos')
  if (options.json) return printJson(answer)
  const repos = required(answer, 'repos')
  if (repos.length === 0) return print("No repositories yet. 'svc git connect <owner/repo>' creates one.")
  printTable(repos.map(rowOf))
}

const rowOf = ({ repo, size_bytes, size_limit_bytes, projects }: Sparse<StoredRepository>): string[] => [
  bold(clean(repo ?? '')),
  size_bytes == null ? 'not measured' : `${size(size_bytes)} of ${size(size_limit_bytes)}`,
  dim(projects?.length ? `builds ${projects.map(clean).join(', ')}` : 'builds nothing'),
]

export const removeRepo: Run = async ({ args: [repo = ''], options }) => {
  const [owner = '', name = '', more] = repo.split('/')
  if (owner === '' || name === '' || more !== undefined)
    throw new Failure(`'${clean(repo)}' is no repository. Name it as 'svc git repos' lists it: <owner/name>`)
  const call = connect()
  if (!options.yes)
    await confirmByName(
      'repository',
      repo,
      async () => `This deletes ${repo} for good, with all its commits and branches.`,
    )
  await call('DELETE /repos/:owner/:repo', { params: { owner, repo: name } })
  print(`Deleted ${bold(repo)}. Deployments stay as they are.`)
}
