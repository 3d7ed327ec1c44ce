import { call } from '../../../api.ts'
import { Button } from '../../../components/button.tsx'
import { Gate } from '../../../components/gate.tsx'
import { Notice } from '../../../components/notice.tsx'
import { TimeAgo } from '../../../components/time-ago.tsx'
import { useFormWork } from '../../../use-work.ts'
import styles from './device.module.css'
import type { DeviceRequest } from './device-request.ts'

interface ConfirmStepProps {
  request: DeviceRequest
  login: string
  onDone: (outcome: 'approved' | 'denied') => void
  onOther: () => void
}

const answers = {
  approved: 'POST /auth/device/approve',
  denied: 'POST /auth/device/deny',
} as const

export function ConfirmStep({ request, login, onDone, onOther }: ConfirmStepProps) {
  const { doing, error, run } = useFormWork()

  const answer = (outcome: keyof typeof answers) =>
    run(async () => {
      await call(answers[outcome], { body: { user_code: request.user_code } })
      onDone(outcome)
    }, outcome)

  return (
    <Gate title="Approve this device?" lead="Check that your terminal shows this very code.">
      <div className={styles.request}>
        <p className={styles.code}>{request.user_code}</p>
        <dl className={styles.facts}>
          <dt>Requested</dt>
          <dd>
            <TimeAgo at={request.created_at} />
          </dd>
          <dt>From</dt>
          <dd className={styles.mono}>{request.ip}</dd>
          <dt>By</dt>
          <dd className={styles.mono}>{request.user_agent || 'unknown program'}</dd>
          <dt>Account</dt>
          <dd>{login}</dd>
        </dl>
      </div>
      <Notice tone="warning">
        Approving gives the device full access to your account: it can deploy, roll back and delete. If you
        did not start this login, deny it.
      </Notice>
      {error && <Notice tone="error">{error}</Notice>}
      <div className={styles.answers}>
        <Button size="large" busy={doing === 'denied'} onClick={() => answer('denied')}>
          Deny
        </Button>
        <Button look="primary" size="large" busy={doing === 'approved'} onClick={() => answer('approved')}>
          Approve
        </Button>
      </div>
      <Button look="quiet" size="small" onClick={onOther}>
        Enter another code
      </Button>
    </Gate>
  )
}
