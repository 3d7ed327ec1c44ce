// Approving a device login, in three steps: the code, what it is for, and the answer.
import { useState } from 'react'
import { useSearch } from 'wouter'
import { Button } from '../../../components/button.tsx'
import { Gate } from '../../../components/gate.tsx'
import { Icon } from '../../../components/icon.tsx'
import { href } from '../../../paths.ts'
import { session } from '../../../session.ts'
import { CodeStep } from './code-step.tsx'
import { ConfirmStep } from './confirm-step.tsx'
import styles from './device.module.css'
import type { DeviceRequest } from './device-request.ts'
import { formatUserCode } from './user-code.ts'

type Step =
  | { at: 'code' }
  | { at: 'confirm'; request: DeviceRequest }
  | { at: 'done'; outcome: 'approved' | 'denied' }

export function DevicePage() {
  const query = new URLSearchParams(useSearch())
  const given = formatUserCode(query.get('code') ?? query.get('user_code') ?? '')
  const [step, setStep] = useState<Step>({ at: 'code' })
  const current = session.use()
  const login = current.state === 'signed in' ? current.account.gitforge_login : ''

  if (step.at === 'code')
    return <CodeStep given={given} onFound={request => setStep({ at: 'confirm', request })} />
  if (step.at === 'confirm')
    return (
      <ConfirmStep
        request={step.request}
        login={login}
        onDone={outcome => setStep({ at: 'done', outcome })}
        onOther={() => setStep({ at: 'code' })}
      />
    )
  return <Outcome approved={step.outcome === 'approved'} login={login} />
}

function Outcome({ approved, login }: { approved: boolean; login: string }) {
  return (
    <Gate
      title={approved ? 'Device approved' : 'Device denied'}
      lead={
        approved
          ? `It is signed in as ${login} in a few seconds. You can close this window.`
          : 'It was not signed in. You can close this window.'
      }
    >
      <p className={approved ? styles.approved : styles.denied} role="status">
        <Icon name={approved ? 'check' : 'close'} size={20} />
        {approved ? 'Go back to your terminal.' : 'If you did not start this login, nothing more is needed.'}
      </p>
      <div>
        <Button onClick={() => location.assign(href('/'))}>Go to your projects</Button>
      </div>
    </Gate>
  )
}
