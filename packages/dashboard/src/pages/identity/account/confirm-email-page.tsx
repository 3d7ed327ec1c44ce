// Where the link in the email to a new address leads. Opening it changes nothing, because mail scanners open links, too.
import { useState } from 'react'
import { useLocation, useParams } from 'wouter'
import { call, codeOf, explain } from '../../../api.ts'
import { Button, LinkButton } from '../../../components/button.tsx'
import { Gate } from '../../../components/gate.tsx'
import { Notice } from '../../../components/notice.tsx'
import { notify } from '../../../components/toasts.tsx'
import { href } from '../../../paths.ts'
import { refreshAccount, useLogin } from '../../../session.ts'
import { leaving, useWork } from '../../../use-work.ts'
import { forgetSecurity, useSecurity } from '../security/security.ts'

export function ConfirmEmailPage() {
  const { token = '' } = useParams<{ token: string }>()
  const login = useLogin()
  const security = useSecurity()
  const [, navigate] = useLocation()
  const [error, setError] = useState<unknown>()
  const { busy, run } = useWork(setError)

  async function confirm() {
    const { email } = await call('POST /me/email/confirm', { body: { token } })
    await refreshAccount()
    forgetSecurity()
    navigate(href('/account'), { replace: true })
    notify({ tone: 'ok', text: `Your email address is now ${email}.` })
    return leaving
  }

  if (!security.data && security.error === undefined) return null
  const pending = security.data?.pending_email
  if (pending === null || codeOf(error) === 'not_found') return <Spent login={login} />
  return (
    <Gate
      title="Confirm your email address"
      lead={
        <>
          <strong>{pending ?? 'This address'}</strong> becomes the email address of the account {login}.
        </>
      }
    >
      {error !== undefined && <Notice tone="error">{explain(error)}</Notice>}
      <Button look="primary" size="large" busy={busy} onClick={() => run(confirm)}>
        Confirm
      </Button>
      <LinkButton href={href('/account')} look="quiet">
        Not now
      </LinkButton>
    </Gate>
  )
}

function Spent({ login }: { login: string }) {
  return (
    <Gate
      title="This link does not work any more"
      lead={`It was used, it has expired, or it is not for the account ${login}, which is signed in here. You can change the email address of ${login} again.`}
    >
      <LinkButton href={href('/account')} look="primary" size="large">
        Go to your account
      </LinkButton>
    </Gate>
  )
}
