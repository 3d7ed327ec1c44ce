// The second step of a sign-in: a code of the authenticator app, or a recovery code.
import { useEffect, useRef, useState } from 'react'
import { call, explain } from '../../../api.ts'
import { Button } from '../../../components/button.tsx'
import { Field } from '../../../components/field.tsx'
import { Gate, GateForm } from '../../../components/gate.tsx'
import { Notice } from '../../../components/notice.tsx'
import { leaving, useWork } from '../../../use-work.ts'
import { PasskeyButton } from './passkey-button.tsx'

interface CodeStepProps {
  challenge: string
  /** Whether the account has a passkey, which needs no code. */
  passkey: boolean
  onSignedIn: (answer: { token: string; device_secret: string }) => Promise<void>
  onBack: () => void
}

const kinds = {
  app: {
    label: 'Code',
    lead: 'Enter the six digits that your authenticator app shows.',
    other: 'Use a recovery code',
  },
  recovery: {
    label: 'Recovery code',
    lead: 'Enter one of the codes that you saved when you set up the app. Each works once.',
    other: 'Use the authenticator app',
  },
} as const

const isWhole = (code: string): boolean => /^\d{6}$/.test(code.replace(/\s/g, ''))

export function CodeStep({ challenge, passkey, onSignedIn, onBack }: CodeStepProps) {
  const [kind, setKind] = useState<keyof typeof kinds>('app')
  const [code, setCode] = useState('')
  const [error, setError] = useState<string>()
  const { busy, run } = useWork(failure => {
    setError(explain(failure))
    setCode('')
  })
  const words = kinds[kind]
  const field = useRef<HTMLDivElement>(null)
  // Browsers obey `autofocus` only while a document loads.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each kind has a field of its own
  useEffect(() => field.current?.querySelector('input')?.focus(), [kind])

  const enter = (typed: string) =>
    run(async () => {
      if (!typed.trim()) return setError('Enter a code.')
      setError(undefined)
      await onSignedIn(await call('POST /auth/signin/code', { body: { challenge, code: typed } }))
      return leaving
    })

  function type(typed: string) {
    setCode(typed)
    if (kind === 'app' && isWhole(typed)) enter(typed)
  }

  return (
    <Gate title="Enter your code" lead={words.lead}>
      <GateForm onSubmit={() => enter(code)}>
        {error && <Notice tone="error">{error}</Notice>}
        <div ref={field}>
          <Field
            key={kind}
            label={words.label}
            name="code"
            autoComplete={kind === 'app' ? 'one-time-code' : 'off'}
            inputMode={kind === 'app' ? 'numeric' : 'text'}
            look="code"
            value={code}
            onChange={event => type(event.target.value)}
          />
        </div>
        <Button type="submit" look="primary" size="large" busy={busy}>
          Sign in
        </Button>
        {passkey && <PasskeyButton />}
        <Button
          look="quiet"
          onClick={() => {
            setKind(kind === 'app' ? 'recovery' : 'app')
            setCode('')
            setError(undefined)
          }}
        >
          {words.other}
        </Button>
        <Button look="quiet" icon="arrowLeft" onClick={onBack}>
          Back to the password
        </Button>
      </GateForm>
    </Gate>
  )
}
