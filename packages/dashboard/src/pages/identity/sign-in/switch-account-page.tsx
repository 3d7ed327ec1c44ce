// Asks before a link signs in another account. Without the question, anyone's link could make a person work in an account
// that is not theirs, and put their secrets there.
import { Button } from '../../../components/button.tsx'
import { Gate } from '../../../components/gate.tsx'
import { answerOffer, session } from '../../../session.ts'
import styles from './switch-account-page.module.css'

export function SwitchAccountPage() {
  const current = session.use()
  if (current.state !== 'asking') return null
  const present = current.present.gitforge_login
  const arriving = current.arriving.gitforge_login
  return (
    <Gate
      title="Switch account?"
      lead={
        <>
          You are signed in as <strong>{present}</strong>. The link that you opened signs in as{' '}
          <strong>{arriving}</strong>. If somebody sent you the link, stay signed in as {present}.
        </>
      }
    >
      <div className={styles.choices}>
        <Button look="primary" size="large" autoFocus onClick={() => answerOffer(false)}>
          Stay signed in as {present}
        </Button>
        <Button size="large" onClick={() => answerOffer(true)}>
          Switch to {arriving}
        </Button>
      </div>
    </Gate>
  )
}
