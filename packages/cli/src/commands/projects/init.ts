// `svc init`: a project for this directory.
import { basename } from 'node:path'
import type { Run } from '../../command.ts'
import { createAndLink, otherOwner } from '../../create-project.ts'
import { linkedProject } from '../../link.ts'
import { bold, cyan, print, warn } from '../../output.ts'
import { projectName } from '../../project-name.ts'
import { fetchTemplate, writeTemplate } from './template.ts'

export const init: Run = async ({ args, options }) => {
  const asked = args[0] ?? options.project
  const linked = linkedProject()
  if (linked && asked === undefined && !options.template)
    return print(`This directory is already linked to ${bold(linked)}.`)

  const files = options.template ? await fetchTemplate(options.template) : undefined
  const name = projectName(asked ?? (files && linked), basename(process.cwd()), 'svc init <name>')
  const { created, url, org } = await createAndLink(name, options.org, 'svc init <name>')
  if (options.org && org !== options.org) warn(otherOwner(name, org, options.org))
  print(`${created ? 'Created' : 'Found'} ${bold(name)} and linked this directory to it (svc.json).`)
  if (files) await writeTemplate(files)
  if (files) print(`Wrote ${files.length} files of the template ${bold(options.template ?? '')}.`)
  const deploys = files?.some(({ path }) => path === 'package.json') ? 'svc deploy --build' : 'svc deploy'
  print(url ? `'${deploys}' puts it live at ${cyan(url)}` : `'${deploys}' puts it live.`)
}
