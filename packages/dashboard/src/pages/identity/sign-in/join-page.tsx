// Where the link of an invitation to the platform leads: the form for a new account.
import { useLocation, useParams } from 'wouter'
import { call, codeOf, explain } from '../../../api.ts'
import { Button, LinkButton } from '../../../components/button.tsx'
import { Gate } from '../../../components/gate.tsx'
import { formatDay } from '../../../format.ts'
import { href } from '../../../paths.ts'
import { useResource } from '../../../resource.ts'
import { session, startSession } from '../../../session.ts'
import { GitHubSignIn, takesPasswords } from '../../builds/github/github-sign-in.tsx'
import { AccountForm } from './account-form.tsx'

export function JoinPage() {
  const { token = '' } = useParams<{ token: string }>()
  const { state } = session.use()
  return state === 'signed in' ? <HasAccount /> : <Join token={token} />
}

function Join({ token }: { token: string }) {
  const [, navigate] = useLocation()
  const enter = (secret: string) => startSession(secret, () => navigate(href('/'), { replace: true }))
  const invite = useResource(`account invite ${token}`, () =>
    call('GET /auth/account-invites/:token', { params: { token } }),
  )
  if (codeOf(invite.error) === 'not_found') return <Spent />
  if (invite.error !== undefined)
    return (
      <Gate title="The invitation could not be loaded" lead={explain(invite.error)}>
        <Button look="primary" size="large" busy={invite.loading} onClick={() => void invite.refresh()}>
          Try again
        </Button>
      </Gate>
    )
  if (!invite.data) return null
  const { sender, email, expires_at } = invite.data
  return (
    <Gate
      title="Create your account"
      lead={`${sender} invites you to this platform. The link works once, until ${formatDay(expires_at)}.`}
    >
      <GitHubSignIn inviteToken={token} onToken={enter} isFirstOfTwo={takesPasswords()} />
      {takesPasswords() && (
        <AccountForm
          submit="Create account"
          inviteToken={token}
          suggestedEmail={email ?? ''}
          onToken={enter}
        />
      )}
    </Gate>
  )
}

function HasAccount() {
  return (
    <Gate
      title="You have an account already"
      lead="The invitation was not used. To create another account, sign out and open the link again."
    >
      <LinkButton href={href('/')} look="primary" size="large">
        Go to your projects
      </LinkButton>
    </Gate>
  )
}

function Spent() {
  return (
    <Gate
      title="This invitation does not work any more"
      lead="It was used, revoked, or has expired. Ask the person who sent it for a new one."
    >
      <LinkButton href={href('/signin')} look="primary" size="large">
        Sign in
      </LinkButton>
    </Gate>
  )
}
