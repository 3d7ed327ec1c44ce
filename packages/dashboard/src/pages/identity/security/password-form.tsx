import type { Answer, EndpointTable } from '@svc/contract'
import { limits } from '@svc/contract/limits'
import { useState } from 'react'
import { Link } from 'wouter'
import { call, codeOf, explain } from '../../../api.ts'
import { Button } from '../../../components/button.tsx'
import { CheckField } from '../../../components/check-field.tsx'
import { PasswordField } from '../../../components/field.tsx'
import { Form } from '../../../components/form.tsx'
import { Notice } from '../../../components/notice.tsx'
import { notify } from '../../../components/toasts.tsx'
import { formatCount } from '../../../format.ts'
import { keepDeviceSecret } from '../../../known-device.ts'
import { href } from '../../../paths.ts'
import { useLogin } from '../../../session.ts'
import { useWork } from '../../../use-work.ts'
import styles from './password-form.module.css'

type Fault = { field: 'current' | 'new' | 'form'; text: string }

const { min, max } = limits.accountPassword

function faultIn(current: string, next: string): Fault | undefined {
  if (!current) return { field: 'current', text: 'Enter your current password.' }
  if (next.length < min) return { field: 'new', text: `Use at least ${min} characters.` }
  if (next.length > max) return { field: 'new', text: `Use at most ${max} characters.` }
  return undefined
}

function ended({ sessions_ended: sessions, tokens_revoked: tokens }: Ended): string {
  const parts = [
    sessions > 0 && `${formatCount(sessions, 'other session')} ended`,
    tokens > 0 && `${formatCount(tokens, 'token')} revoked`,
  ].filter(Boolean)
  return parts.length > 0 ? ` ${parts.join(', ')}.` : ''
}

type Ended = Pick<Answer<EndpointTable['PUT /me/password']>, 'sessions_ended' | 'tokens_revoked'>

export function PasswordForm() {
  const login = useLogin()
  const [current, setCurrent] = useState('')
  const [next, setNext] = useState('')
  const [fault, setFault] = useState<Fault>()
  const [revokesTokens, setRevokesTokens] = useState(false)
  const { busy, run } = useWork(failure =>
    setFault({ field: codeOf(failure) === 'forbidden' ? 'current' : 'form', text: explain(failure) }),
  )

  async function change() {
    const found = faultIn(current, next)
    setFault(found)
    if (found) return
    const changed = await call('PUT /me/password', {
      body: { current_password: current, new_password: next, revoke_tokens: revokesTokens },
    })
    keepDeviceSecret(login, changed.device_secret)
    setCurrent('')
    setNext('')
    notify({ tone: 'ok', text: `Your password was changed.${ended(changed)}` })
  }

  return (
    <Form className={styles.form} onSubmit={() => run(change)}>
      {fault?.field === 'form' && <Notice tone="error">{fault.text}</Notice>}
      {/* Tells password managers whose password this is. */}
      <input type="text" name="username" autoComplete="username" value={login} readOnly hidden />
      <PasswordField
        label="Current password"
        name="current_password"
        autoComplete="current-password"
        value={current}
        error={fault?.field === 'current' ? fault.text : undefined}
        onChange={event => setCurrent(event.target.value)}
      />
      <PasswordField
        label="New password"
        name="new_password"
        autoComplete="new-password"
        value={next}
        error={fault?.field === 'new' ? fault.text : undefined}
        hint={`${min} characters or more; a sentence is easiest to remember.`}
        onChange={event => setNext(event.target.value)}
      />
      <CheckField name="revoke_tokens" checked={revokesTokens} onChange={setRevokesTokens}>
        Also revoke my <Link href={href('/tokens')}>access tokens</Link>, for the command line and CI
      </CheckField>
      <div>
        <Button type="submit" busy={busy}>
          Change password
        </Button>
      </div>
    </Form>
  )
}
