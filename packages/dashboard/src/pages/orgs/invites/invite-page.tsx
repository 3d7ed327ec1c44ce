// The page of an invite link. It shows the org. Signed-in users can accept; others sign in or create an account first.
import { createClient } from '@svc/contract/client'
import { limits } from '@svc/contract/limits'
import { useState } from 'react'
import { Link, useLocation, useParams } from 'wouter'
import { call, codeOf, explain } from '../../../api.ts'
import { OrgAvatar } from '../../../components/avatar.tsx'
import { Button, LinkButton } from '../../../components/button.tsx'
import { Gate } from '../../../components/gate.tsx'
import { Notice } from '../../../components/notice.tsx'
import { notify } from '../../../components/toasts.tsx'
import { config } from '../../../config.ts'
import { signInPath } from '../../../next.ts'
import { forgetOrg, orgPath, roles, useOrgs } from '../../../orgs.ts'
import { href } from '../../../paths.ts'
import { useResource } from '../../../resource.ts'
import { session, signOut, startSession, useLogin } from '../../../session.ts'
import { leaving, useWork } from '../../../use-work.ts'
import { GitHubSignIn, takesPasswords } from '../../builds/github/github-sign-in.tsx'
import { AccountForm } from '../../identity/sign-in/account-form.tsx'
import styles from './invite-page.module.css'

export function InvitePage() {
  const { token = '' } = useParams<{ token: string }>()
  const { state } = session.use()
  return state === 'signed in' ? <Accept token={token} /> : <WayIn token={token} />
}

/** For someone who is not signed in. */
function WayIn({ token }: { token: string }) {
  const [, navigate] = useLocation()
  const signIn = signInPath(href('/invites/:token', { token }))
  const invite = useResource(`invite ${token}`, () => call('GET /auth/invites/:token', { params: { token } }))
  if (codeOf(invite.error) === 'not_found') return <Spent />
  // If the invite could not be read, the page still offers the way in.
  if (!invite.data && invite.error === undefined) return null
  const title = invite.data ? `Join ${invite.data.org}` : 'You are invited to an organization'
  const who = invite.data && `${invite.data.sender} invites you as ${invite.data.role}. `
  if (config().signups === 'closed')
    return (
      <Gate title={title} lead={`${who ?? ''}Sign in to join. This platform takes no new accounts.`}>
        <LinkButton href={signIn} look="primary" size="large">
          Sign in
        </LinkButton>
      </Gate>
    )

  /** Opens the org of the invite. The sign-up has used the invite, and the new account is in no other org. */
  async function arrive(secret: string) {
    const client = createClient({ baseUrl: config().api_url, token: secret })
    // The account exists even if this call fails. Without an org to show, the first page will do.
    const [org] = await client('GET /orgs', {}).then(
      ({ orgs }) => orgs,
      () => [],
    )
    await startSession(secret, () => navigate(org ? orgPath(org.name) : href('/'), { replace: true }))
    if (org) notify({ tone: 'ok', text: `Welcome to ${org.display_name || org.name}.` })
  }

  return (
    <Gate
      title={title}
      lead={
        <>
          {who}Create your account to join. Already have one? <Link href={signIn}>Sign in</Link>
        </>
      }
    >
      <GitHubSignIn inviteToken={token} onToken={arrive} isFirstOfTwo={takesPasswords()} />
      {takesPasswords() && (
        <AccountForm submit="Create account and join" inviteToken={token} onToken={arrive} />
      )}
    </Gate>
  )
}

function Accept({ token }: { token: string }) {
  const key = `invite ${token}`
  const invite = useResource(key, () => call('GET /invites/:token', { params: { token } }))
  const orgs = useOrgs()
  if (invite.error !== undefined && codeOf(invite.error) === 'not_found') return <Spent />
  if (invite.error !== undefined)
    return (
      <Gate title="The invite could not be loaded" lead={explain(invite.error)}>
        <Button look="primary" size="large" busy={invite.loading} onClick={() => void invite.refresh()}>
          Try again
        </Button>
      </Gate>
    )
  if (!invite.data || (!orgs.data && orgs.error === undefined)) return null
  const { org, role, sender } = invite.data
  if (orgs.data?.some(({ name }) => name === org)) return <AlreadyIn org={org} />
  return <Preview token={token} org={org} role={role} sender={sender} />
}

interface PreviewProps {
  token: string
  org: string
  role: keyof typeof roles
  sender: string
}

function Preview({ token, org, role, sender }: PreviewProps) {
  const me = useLogin()
  const [error, setError] = useState<unknown>()
  const { busy, run } = useWork(setError)
  const [, navigate] = useLocation()

  async function accept() {
    const joined = await call('POST /invites/:token/accept', { params: { token } })
    forgetOrg(joined.name)
    navigate(orgPath(joined.name), { replace: true })
    notify({ tone: 'ok', text: `Welcome to ${joined.display_name || joined.name}.` })
    return leaving
  }

  if (codeOf(error) === 'already_member') return <AlreadyIn org={org} />
  if (codeOf(error) === 'not_found') return <Spent />
  return (
    <Gate
      title={`Join ${org}`}
      lead={`${sender} invites you.`}
      footer={
        <>
          Signed in as {me}.{' '}
          <button type="button" className={styles.link} onClick={() => signOut()}>
            Join with another account
          </button>
        </>
      }
    >
      <div className={styles.card}>
        <OrgAvatar org={{ name: org }} size={40} />
        <div>
          <p className={styles.org}>{org}</p>
          <p className={styles.role}>
            As {role}. {roles[role].may}
          </p>
        </div>
      </div>
      {error !== undefined && <Notice tone="error">{explain(error)}</Notice>}
      <Button look="primary" size="large" busy={busy} onClick={() => run(accept)}>
        Accept and join
      </Button>
      <LinkButton href={href('/')} look="quiet">
        Not now
      </LinkButton>
    </Gate>
  )
}

function AlreadyIn({ org }: { org: string }) {
  return (
    <Gate
      title={`You are in ${org} already`}
      lead="The invite was not used. It still works for somebody else, so hand it on with care."
    >
      <LinkButton href={orgPath(org)} look="primary" size="large">
        Open {org}
      </LinkButton>
    </Gate>
  )
}

function Spent() {
  return (
    <Gate
      title="This invite does not work any more"
      lead={`It was used, revoked, or is older than ${limits.inviteDays} days. Ask the person who sent it for a new one.`}
    >
      <LinkButton href={href('/')} look="primary" size="large">
        Go to your projects
      </LinkButton>
    </Gate>
  )
}
