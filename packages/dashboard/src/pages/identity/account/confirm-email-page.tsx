// Where the link in the email to a new address leads.
import { useState } from 'react'
import { useLocation, useParams } from 'wouter'
import { call, explain } from '../../../api.ts'
import { Button } from '../../../components/button.tsx'
import { Gate } from '../../../components/gate.tsx'
import { Notice } from '../../../components/notice.tsx'
import { notify } from '../../../components/toasts.tsx'
import { refreshAccount, useLogin } from '../../../session.ts'

export function ConfirmEmailPage() {
  const { token = '' } = useParams<{ token: string }>()
  const login = useLogin()
  const [, navigate] = useLocation()
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<string>()

  async function confirm() {
    setBusy(true)
    try {
      const { email } = await call('POST /me/email/confirm', { body: { token } })
      await refreshAccount()
      navigate('/account', { replace: true })
      notify({ tone: 'ok', text: `Your email address is ${email} now.` })
    } catch (failure) {
      setError(explain(failure))
      setBusy(false)
    }
  }

  return (
    <Gate
      title="Confirm your email address"
      lead={`It becomes the address of the account ${login}. The former address gets a notice.`}
    >
      {error && <Notice tone="error">{error}</Notice>}
      <Button look="primary" size="large" busy={isBusy} onClick={() => void confirm()}>
        Confirm
      </Button>
    </Gate>
  )
}
