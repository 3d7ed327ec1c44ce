// Shown in place of a page, or a part of one, that could not be loaded.
import { Component, type ReactNode } from 'react'
import { codeOf, explain } from '../api.ts'
import { Button } from './button.tsx'
import styles from './trouble.module.css'

interface TroubleProps {
  title: string
  /** The level of the heading. 1 if nothing else is on the page. */
  level?: 1 | 2
  children: ReactNode
  action?: ReactNode
}

export function Trouble({ title, level = 2, children, action }: TroubleProps) {
  const Heading = level === 1 ? 'h1' : 'h2'
  return (
    <div className={styles.trouble} role="alert">
      <Heading className={styles.title}>{title}</Heading>
      <p className={styles.text}>{children}</p>
      {action}
    </div>
  )
}

/** A failed load, with the way to try again. */
export function LoadFailure({ error, retry, busy }: { error: unknown; retry: () => void; busy: boolean }) {
  const unreachable = codeOf(error) === 'network_error'
  // Trying again does not help: what is not there stays away.
  if (codeOf(error) === 'not_found') return <Trouble title="Not found">{explain(error)}</Trouble>
  return (
    <Trouble
      title={unreachable ? 'The platform does not answer' : 'This could not be loaded'}
      action={
        <Button onClick={retry} busy={busy}>
          Try again
        </Button>
      }
    >
      {unreachable ? 'Check your connection, or whether the server is running.' : explain(error)}
    </Trouble>
  )
}

/** Catches what no page expected, so that a bug never leaves a blank screen. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { error?: unknown }> {
  override state: { error?: unknown } = {}

  static getDerivedStateFromError(error: unknown) {
    return { error }
  }

  override render() {
    const { error } = this.state
    if (error === undefined) return this.props.children
    const { title, text } = isMissingPart(error) ? missingPart : { title: broken, text: explain(error) }
    return (
      <main className={styles.screen}>
        <Trouble title={title} level={1} action={<Button onClick={() => location.reload()}>Reload</Button>}>
          {text}
        </Trouble>
      </main>
    )
  }
}

const broken = 'Something went wrong in the dashboard'
const missingPart = {
  title: 'This page could not be loaded',
  text: 'The platform does not answer, or it has a new version by now. Check your connection, or whether the server is running.',
}

/** Whether the script of a page could not be fetched. Each browser says so in words of its own. */
const isMissingPart = (error: unknown): boolean =>
  error instanceof TypeError && /dynamically imported module|module script/i.test(error.message)
