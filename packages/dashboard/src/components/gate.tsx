// The frame of pages outside the dashboard's navigation: sign-in, set-up, approving a device.
import type { ReactNode } from 'react'
import { Form } from './form.tsx'
import styles from './gate.module.css'
import { Mark } from './mark.tsx'
import { PageTitle } from './page.tsx'
import { ThemeButton } from './theme-button.tsx'

interface GateProps {
  title: string
  lead?: ReactNode
  children?: ReactNode
  footer?: ReactNode
}

export function Gate({ title, lead, children, footer }: GateProps) {
  return (
    <div className={styles.gate}>
      <div className={styles.theme}>
        <ThemeButton />
      </div>
      <main className={styles.main}>
        <Mark size={40} />
        <div className={styles.heading}>
          <PageTitle title={title} />
          {lead && <p className={styles.lead}>{lead}</p>}
        </div>
        {children}
      </main>
      {footer && <footer className={styles.footer}>{footer}</footer>}
    </div>
  )
}

/** The stacked fields of a gate's form. */
export function GateForm({ onSubmit, children }: { onSubmit: () => void; children: ReactNode }) {
  return (
    <Form className={styles.form} onSubmit={onSubmit}>
      {children}
    </Form>
  )
}
