// Writes a sentence for every entry of an activity log.
import type { AuditAction, AuditEntry } from '@svc/contract'
import { formatBytes } from '@svc/contract/bytes'
import type { LogOwner } from './lists.ts'

/** A part of a sentence: plain words, or a name that stands out. */
type Piece = string | { name: string }

type Words = (entry: Entry, details: Record<string, string | undefined>) => Piece[]
export type Entry = Pick<AuditEntry, 'actor' | 'action' | 'target' | 'project' | 'details'>

/** Names between the words; what is not known is left out. */
function say(words: TemplateStringsArray, ...names: (string | null | undefined)[]): Piece[] {
  return words.flatMap((part, at): Piece[] => {
    const name = names[at]
    return [part, ...(name ? [{ name }] : [])].filter(piece => piece !== '')
  })
}

const accessModes: Record<string, string> = {
  public: 'everyone',
  password: 'people who know the password',
  org: 'members of the organization',
}

const scopes: Record<string, string> = {
  runtime: ' for the running app',
  build: ' for builds',
  both: ' for builds and the running app',
}

const owner = (org: string | undefined) => org ?? 'a personal account'
const tokenKind = (kind: string | undefined) => (kind === 'ai' ? 'AI' : 'deploy')

const sentences: Record<AuditAction, Words> = {
  'project.create': ({ target }) => say`created the project ${target}`,
  'project.delete': ({ target }) => say`deleted the project ${target}`,
  'project.rename': (_, { from, to }) => say`renamed ${from} to ${to}`,
  'project.retention': ({ target }, { production_count, preview_days }) => [
    ...say`set ${target} to keep `,
    `${production_count ?? 'all'} former deployments, and previews `,
    preview_days === undefined ? 'for ever' : `for ${preview_days} days`,
  ],
  'project.node': ({ target }, { node }) =>
    node === undefined
      ? say`let the files of ${target} decide the version of Node.js`
      : say`set the Node.js of ${target} to ${node}`,
  'project.suspend': ({ target }, { reason }) => say`suspended the project ${target}: ${reason}`,
  'project.resume': ({ target }) => say`resumed the project ${target}`,
  'project.transfer': ({ target }, { from, to }) =>
    say`moved the project ${target} from ${owner(from)} to ${owner(to)}`,
  'production.lock': ({ target }) => say`locked the production of ${target}`,
  'production.unlock': ({ target }) => say`unlocked the production of ${target}`,
  'deployment.upload': ({ target }, { branch }) =>
    branch ? say`deployed ${target} to the branch ${branch}` : say`deployed ${target}`,
  'deployment.activate': ({ target }) => say`made ${target} the live deployment`,
  'deployment.promote': ({ target }, { branch }) =>
    branch ? say`promoted ${target} of the branch ${branch} to production` : say`promoted ${target}`,
  'deployment.delete': ({ target }, { reason }) =>
    reason === 'retention'
      ? say`deleted the old deployment ${target}`
      : say`deleted the deployment ${target}`,
  'env.set': ({ target }, { scope }) => [...say`set the variable ${target}`, scopes[scope ?? ''] ?? ''],
  'env.delete': ({ target }) => say`removed the variable ${target}`,
  'disk.set': (_, { size, path, shared }) =>
    say`set the disk to ${formatBytes(Number(size))} at ${path}${shared === 'yes' ? ', shared' : ''}`,
  'disk.previews': (_, { preview_data }) =>
    say`${preview_data === 'copy' ? 'let new previews copy the disk' : 'let new previews begin with an empty disk'}`,
  'disk.delete': () => say`removed the disk`,
  'disk.snapshot': () => say`made a snapshot of the disk`,
  'disk.restore': ({ target }) => say`restored the snapshot ${target} of the disk`,
  'app.restart': () => say`restarted the server app`,
  'app.run': () => say`ran a command in an instance of the app`,
  'access.previews': (_, { from, to }) =>
    from === to && to === 'password'
      ? say`changed the password of the previews`
      : say`let ${accessModes[to ?? ''] ?? 'visitors of the site'} see the previews`,
  'preview_link.create': (_, { preview }) => say`created a share link for the preview ${preview}`,
  'preview_link.revoke': (_, { preview }) => say`revoked a share link of the preview ${preview}`,
  'access.change': (_, { from, to }) =>
    from === to && to === 'password'
      ? say`changed the password of the site`
      : say`let ${accessModes[to ?? ''] ?? to} see the site`,
  'domain.attach': ({ target }, { branch }) =>
    branch ? say`added the domain ${target} for the branch ${branch}` : say`added the domain ${target}`,
  'domain.retarget': ({ target }, { branch }) =>
    say`pointed the domain ${target} at ${branch ? `the branch ${branch}` : 'production'}`,
  'domain.redirect': ({ target }, { to }) =>
    to ? say`redirected the domain ${target} to ${to}` : say`ended the redirect of the domain ${target}`,
  'domain.primary': ({ target }, { primary }) =>
    primary ? say`made ${target} the primary domain` : say`made ${target} no longer the primary domain`,
  'domain.detach': ({ target }) => say`removed the domain ${target}`,
  'domain.move': ({ target }, { to }) =>
    to
      ? say`moved the domain ${target} to another owner, who proved that it is theirs`
      : say`took over the domain ${target} by proof of ownership`,
  'certificate.refresh': ({ target }) => say`had the certificate of ${target} looked at again`,
  'cron.create': (_, { schedule, path }) => say`scheduled ${path} for ${schedule}`,
  'cron.update': (_, { schedule, path }) => say`changed the scheduled job ${path} to run at ${schedule}`,
  'cron.enable': (_, { path }) => say`enabled the scheduled job ${path}`,
  'cron.disable': (_, { path }) => say`disabled the scheduled job ${path}`,
  'cron.delete': (_, { path }) => say`deleted the scheduled job ${path}`,
  'database.create': ({ target }) => say`created the database ${target}`,
  'database.delete': ({ target }) => say`removed the database ${target}`,
  'database.update': (_, { preview_data, masked }) =>
    say`${preview_data === 'copy' ? `let new previews copy the database${masked ? ', masked' : ''}` : 'let new previews begin with an empty database'}`,
  'database.connect': (_, { branch }) =>
    branch ? say`connected to the database of the preview ${branch}` : say`connected to the database`,
  'database.read': (_, { table, branch }) =>
    branch ? say`looked at rows of ${table} of the preview ${branch}` : say`looked at rows of ${table}`,
  'database.load': ({ target }) => say`replaced the database by ${target}, filled from a dump`,
  'database.restore': ({ target }) => say`brought back the database ${target}`,
  'notification.create': (_, { kind, address }) => say`added notifications to the ${kind} ${address}`,
  'notification.update': (_, { kind, address }) => say`changed the notifications to the ${kind} ${address}`,
  'notification.delete': (_, { kind, address }) => say`removed the notifications to the ${kind} ${address}`,
  'cache.revalidate': ({ target }, { paths }) =>
    Number(paths) > 1
      ? say`had ${target} and ${String(Number(paths) - 1)} more pages fetched again`
      : say`had ${target} fetched again`,
  'form.update': ({ target }, { notify, retention_days }) =>
    notify === undefined
      ? retention_days === undefined
        ? say`set the form ${target} to keep its submissions`
        : say`set the form ${target} to keep submissions for ${retention_days} days`
      : notify === 'off'
        ? say`turned the emails of the form ${target} off`
        : say`had the submissions to ${target} sent to ${notify === 'on' ? 'the owner' : notify}`,
  'form.delete': ({ target }) => say`deleted the form ${target} and its submissions`,
  'submission.delete': (_, { form }) => say`deleted a submission to the form ${form}`,
  'org.create': ({ target }) => say`created the organization ${target}`,
  'org.update': (_, { display_name }) =>
    display_name ? say`changed the display name to ${display_name}` : say`removed the display name`,
  'org.icon': (_, { hash }) => (hash ? say`changed the icon` : say`removed the icon`),
  'member.join': (_, { role }) => say`joined as ${role}`,
  'member.role': ({ actor, target }, { from, to }) =>
    actor === target
      ? say`went from ${from} to ${to}`
      : say`changed the role of ${target} from ${from} to ${to}`,
  'member.remove': ({ actor, target }) => (actor === target ? say`left` : say`removed ${target}`),
  'invite.create': ({ target }, { role }) => say`invited ${target} as ${role}`,
  'invite.resend': ({ target }) => say`invited ${target} again`,
  'invite.revoke': ({ target }) => say`revoked the invite ${target}`,
  'token.create': ({ target }, { kind, label }) => [
    `created the ${tokenKind(kind)} token `,
    { name: label || (target ?? '') },
  ],
  'token.revoke': ({ target }) => say`revoked the token ${target}`,
  'billing.checkout': ({ target }) => say`began to buy the plan ${target}`,
  'billing.change-plan': ({ target }) => say`changed the plan to ${target}`,
  'billing.cancel': ({ target }) => say`cancelled the plan ${target}`,
  'billing.resume': ({ target }) => say`resumed the plan ${target}`,
  'repo.connect': ({ target }) => say`connected the repository ${target}`,
  'repo.disconnect': ({ target }) => say`disconnected the repository ${target}`,
  'repo.delete': ({ target }) => say`deleted the repository ${target}`,
  'build.queue': ({ target }, { name }) =>
    name
      ? say`started a build of ${target}: the deploy hook ${name} was called`
      : say`started a build of ${target}`,
  'build.cancel': ({ target }) => say`cancelled the build ${target}`,
  'hook.create': (_, { name, branch }) => say`created the deploy hook ${name} for ${branch}`,
  'hook.revoke': (_, { name }) => say`revoked the deploy hook ${name}`,
  'installation.share': ({ target }) => say`shared the git installation ${target}`,
  'installation.unshare': ({ target }) => say`stopped sharing the git installation ${target}`,
  'billing.profile': () => say`changed the invoice details`,
  'signup-invite.create': ({ target }) => say`invited ${target} to the platform`,
  'signup-invite.revoke': ({ target }) => say`revoked the invitation ${target} to the platform`,
  'limits.change': ({ target }) => say`changed the limits of ${target}`,
  'setting.change': ({ target }, { removed }) =>
    removed === 'true' ? say`took back the setting ${target}` : say`changed the setting ${target}`,
  'platform.restart': () => say`restarted the platform`,
  'job.retry': ({ target }, { kind }) => say`let the ${kind} job ${target} run again`,
  'job.cancel': ({ target }, { kind }) => say`cancelled the ${kind} job ${target}`,
  'account.password': ({ actor }) =>
    actor ? say`changed the password` : say`changed the password, as the operator asked`,
  'account.email': (_, { to }) => say`changed the email address to ${to}`,
  'account.email-cancel': (_, { to }) => say`cancelled the change of the email address to ${to}`,
  'account.totp-on': () => say`turned the authenticator app on`,
  'account.totp-off': () => say`turned the authenticator app off`,
  'account.recovery-codes': () => say`created new recovery codes`,
  'account.recovery-code': (_, { left }) => say`signed in with a recovery code; ${left} left`,
  'account.codes-blocked': () => say`stopped a sign-in with the right password and too many wrong codes`,
  'account.passkey-add': (_, { name }) => say`added the passkey ${name}`,
  'account.passkey-rename': (_, { name }) => say`renamed a passkey to ${name}`,
  'account.passkey-remove': (_, { name }) => say`removed the passkey ${name}`,
  'account.github-link': (_, { user }) => say`linked the GitHub user ${user}, who can sign in`,
  'account.github-unlink': (_, { user }) => say`unlinked the GitHub user ${user}`,
  'account.reset': () => say`removed the authenticator app and the passkeys, as the operator asked`,
  'node.invite': () => say`invited a node`,
  'node.join': ({ target }) => say`handed the settings to a new node at ${target}`,
  'account.disable': ({ target }) => say`disabled the account ${target}`,
  'account.enable': ({ target }) => say`enabled the account ${target}`,
  'account.suspend': ({ target }, { reason }) => say`suspended the account ${target}: ${reason}`,
  'account.resume': ({ target }) => say`resumed the account ${target}`,
  'account.admin-on': ({ target }) => say`made ${target} an admin of the platform`,
  'account.admin-off': ({ target }) => say`took the admin rights from ${target}`,
  'account.delete': ({ target }, { at }) => say`deleted the account ${target}, for good at ${at}`,
  'account.keep': ({ target }) => say`kept the account ${target}`,
}

/** The actions that happen inside a project, whose name the target does not tell. */
const insideProject =
  /^(deployment|env|access|app|cache|certificate|domain|form|submission|cron|notification|repo|build|hook)\./

/** What the actor did. In the log of an org it is said in which project. */
export function sentenceOf(entry: Entry, log: LogOwner): Piece[] {
  const details = Object.fromEntries(
    Object.entries(entry.details).map(([key, value]) => [key, value == null ? undefined : String(value)]),
  )
  // A server that is newer than this page may log what it has no words for.
  const words = sentences[entry.action] ?? (({ action, target }) => [action, ' ', { name: target ?? '' }])
  const said = words(entry, details)
  const where = log === 'org' && insideProject.test(entry.action) && entry.project
  return where ? [...said, ' in ', { name: entry.project ?? '' }] : said
}
