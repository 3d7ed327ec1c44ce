// Lists, creates and deletes organizations.
import type { Run } from '../../command.ts'
import { Failure } from '../../failure.ts'
import { bold, clean, count, cyan, print, printJson, printTable } from '../../output.ts'
import { allPages } from '../../pages.ts'
import { confirmByName } from '../../prompt.ts'
import { connect } from '../../session.ts'

export const listOrgs: Run = async ({ options: { json } }) => {
  const call = connect()
  const answer = await allPages('orgs', cursor => call('GET /orgs', { query: { cursor, limit: '100' } }))
  if (json) return printJson(answer)
  if (answer.orgs.length === 0)
    return print("You are in no organization yet. 'svc org create <name>' creates one.")
  printTable(answer.orgs.map(org => [bold(org.name), org.role ?? '', clean(org.display_name)]))
}

export const createOrg: Run = async ({ args: [name = ''], options }) => {
  const org = await connect()('POST /orgs', { body: { name, display_name: options['display-name'] } })
  if (options.json) return printJson(org)
  print(`Created ${bold(name)}. You are its owner.`)
  print(`${cyan(`svc org invite ${name} <email>`)} invites someone,`)
  print(`${cyan(`svc init --org ${name}`)} creates a project in it.`)
}

export const removeOrg: Run = async ({ args: [name = ''], options }) => {
  const call = connect()
  if (!options.yes)
    await confirmByName('organization', name, async () => {
      const { project_count } = await call('GET /orgs/:name', { params: { name } })
      if (project_count)
        throw new Failure(
          `${name} still has ${count(project_count, 'project')}. Delete or transfer them first.`,
        )
      return `This deletes ${name} for good: its members, invites, tokens and audit log.`
    })
  await call('DELETE /orgs/:name', { params: { name } })
  print(`Deleted ${bold(name)}.`)
}
