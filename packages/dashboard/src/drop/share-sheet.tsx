import { useState } from 'react'
import { useLocation } from 'wouter'
import { FormDialog } from '../components/form-dialog.tsx'
import { Notice } from '../components/notice.tsx'
import { formatCount } from '../format.ts'
import { href } from '../paths.ts'
import { isUnderWay, shareUpload, startShare, useUpload } from '../upload/uploads.ts'
import { Countdown } from './countdown.tsx'
import { type PlanProps, PlanView, warningsOf } from './plan-view.tsx'
import styles from './sheet.module.css'

interface ShareSheetProps extends PlanProps {
  days: number
  onClose: () => void
}

/** Puts a drop online as a temporary share. */
export function ShareSheet({ days, onClose, ...planProps }: ShareSheetProps) {
  const [isTouched, setTouched] = useState(false)
  const [, navigate] = useLocation()
  const isBusy = isUnderWay(useUpload(shareUpload))
  const isRisky = warningsOf(planProps.plan).length > 0
  const startsItself = !isRisky && !isBusy && !isTouched
  return (
    <FormDialog
      title={`Share for ${formatCount(days, 'day')}`}
      action={startsItself ? 'Share now' : isRisky ? 'Share anyway' : 'Share'}
      careful={isRisky}
      disabled={isBusy}
      run={async () => {
        void startShare(days, planProps.plan.files)
        onClose()
        navigate(href('/shares'))
      }}
      onClose={onClose}
    >
      <div className={styles.parts} onInput={() => setTouched(true)}>
        <PlanView {...planProps} />
        {isBusy && <Notice tone="warning">Another share is being uploaded. Wait until it has ended.</Notice>}
        {startsItself && <Countdown verb="Shares" onKey={() => setTouched(true)} />}
      </div>
    </FormDialog>
  )
}
