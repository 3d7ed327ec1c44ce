// Installations at the git host that members share with their organization.
import type { SparseClient } from '@svc/contract/client'
import type { Run } from '../../command.ts'
import { Failure } from '../../failure.ts'
import { bold, print, printJson, printTable } from '../../output.ts'
import { connect, required } from '../../session.ts'

export const listInstallations: Run = async ({ args: [name = ''], options }) => {
  const answer = await connect()('GET /orgs/:name/installations', { params: { name } })
  if (options.json) return printJson(answer)
  const installations = required(answer, 'installations')
  if (installations.length === 0)
    return print(`Nobody shares an installation with ${name} yet. 'svc org share-github ${name}' does.`)
  printTable(
    installations.map(({ id, account, shared_by }) => [
      bold(String(id)),
      account ?? '',
      shared_by ? `by ${shared_by}` : '',
    ]),
  )
}

export const shareInstallation: Run = async ({ args: [name = '', id] }) => {
  const given = id === undefined ? undefined : numberOf(id)
  const call = connect()
  const installation_id = given ?? (await onlyInstallation(call, name))
  const shared = await call('POST /orgs/:name/installations', { params: { name }, body: { installation_id } })
  print(
    `${bold(name)} can use the repositories of ${shared.account ?? 'the installation'} (${installation_id}) now.`,
  )
}

export const unshareInstallation: Run = async ({ args: [name = '', id = ''] }) => {
  numberOf(id)
  await connect()('DELETE /orgs/:name/installations/:id', { params: { name, id } })
  print(`${bold(name)} does not use ${id} any more.`)
}

async function onlyInstallation(call: SparseClient, org: string): Promise<number> {
  const answer = await call('GET /github')
  const own = required(answer, 'installations').filter(({ mine }) => mine)
  if (own.length === 1) return required(own[0]!, 'id')
  if (own.length === 0)
    throw new Failure('You have no installation at the git host.', {
      hint: answer.install_url ? `Make one here: ${answer.install_url}` : undefined,
    })
  const lines = own.map(({ id, account, org }) => `  ${id}  ${account}${org ? `  [${org}]` : ''}`)
  throw new Failure(
    `You have several installations. Name one: svc org share-github ${org} <installation-id>\n${lines.join('\n')}`,
  )
}

function numberOf(word: string): number {
  if (!/^\d{1,15}$/.test(word)) throw new Failure(`An installation id is a number, not '${word}'.`)
  return Number(word)
}
