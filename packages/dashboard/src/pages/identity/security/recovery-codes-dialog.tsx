// Shows recovery codes, which the platform shows only once.
import type { ReactNode } from 'react'
import { saveText } from '../../../api.ts'
import { Button } from '../../../components/button.tsx'
import { CopyButton } from '../../../components/copy.tsx'
import { Dialog, DialogActions } from '../../../components/dialog.tsx'
import { Notice } from '../../../components/notice.tsx'
import { useLogin } from '../../../session.ts'
import styles from './recovery-codes-dialog.module.css'

interface RecoveryCodesDialogProps {
  codes: string[]
  /** What happened before, in a sentence. */
  children?: ReactNode
  onClose: () => void
}

export function RecoveryCodesDialog({ codes, children, onClose }: RecoveryCodesDialogProps) {
  const login = useLogin()
  const text = `${codes.join('\n')}\n`
  const file = `Recovery codes of ${login} at ${location.host}\nEach works once.\n\n${text}`
  return (
    <Dialog title="Your recovery codes" onClose={onClose} sticky>
      <Notice tone="warning">
        {children} Keep these codes in a safe place. Each signs you in once, if you lose your phone. You won’t
        see them again.
      </Notice>
      <div className={styles.frame}>
        <ol className={styles.codes} aria-label="Recovery codes">
          {codes.map(code => (
            <li key={code}>
              <code>{code}</code>
            </li>
          ))}
        </ol>
        <CopyButton text={text} label="Copy the recovery codes" />
      </div>
      <DialogActions>
        <Button icon="download" onClick={() => saveText(file, `svc-recovery-codes-${login}.txt`)}>
          Download
        </Button>
        <Button look="primary" onClick={onClose}>
          I have saved them
        </Button>
      </DialogActions>
    </Dialog>
  )
}
