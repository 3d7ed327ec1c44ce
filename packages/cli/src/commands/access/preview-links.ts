// Share links: visitors with one see a protected preview.
import type { PreviewLink } from '@svc/contract'
import type { Sparse } from '@svc/contract/client'
import type { Run } from '../../command.ts'
import { expiry } from '../../expiry.ts'
import { requireProject } from '../../link.ts'
import { bold, clean, cyan, dim, minute, notice, print, printJson, printTable } from '../../output.ts'
import { connect, required } from '../../session.ts'

/** The URL alone goes to stdout, so that a script can catch it. */
export const sharePreview: Run = async ({ args: [preview = ''], options }) => {
  const name = requireProject(options)
  const which = /^dep_[a-z0-9]{16}$/.test(preview) ? { deployment_id: preview } : { branch: preview }
  const body = { ...which, ...expiry(options.expires) }
  const link = await connect()('POST /projects/:name/preview-links', { params: { name }, body })
  if (options.json) return printJson(link)
  const url = required(link, 'url')
  const end = link.expires_at ? ` until ${minute(link.expires_at)} UTC` : ''
  notice(`Everyone with this link sees ${clean(preview)}${end}:`)
  print(url)
  notice(`You won't see this link again. To revoke it: svc previews revoke ${clean(link.id ?? '<id>')}`)
}

export const listPreviewLinks: Run = async ({ options }) => {
  const name = requireProject(options)
  const answer = await connect()('GET /projects/:name/preview-links', { params: { name } })
  if (options.json) return printJson(answer)
  const links = required(answer, 'links')
  if (links.length === 0)
    return print(
      "No share links. 'svc previews share <branch or deployment>' creates one. 'svc git branches' and 'svc deployments --status branch' list previews.",
    )
  notice('Share links of protected previews:')
  printTable(links.map(rowOf))
}

const rowOf = ({ id, branch, deployment_id, preview_url, expires_at }: Sparse<PreviewLink>): string[] => [
  bold(id ?? ''),
  clean(branch ?? deployment_id ?? ''),
  cyan(preview_url ?? ''),
  dim(expires_at ? `until ${minute(expires_at)}` : ''),
]

export const revokePreviewLink: Run = async ({ args: [id = ''], options }) => {
  const name = requireProject(options)
  await connect()('DELETE /projects/:name/preview-links/:id', { params: { name, id } })
  print(`Revoked ${bold(id)}. Its visitors are locked out.`)
}
