// A form that the page sends itself: the browser neither checks the fields nor leaves the page.
import type { ReactNode } from 'react'
import styles from './form.module.css'

interface FormProps {
  className: string | undefined
  onSubmit: () => void
  children: ReactNode
}

export function Form({ className, onSubmit, children }: FormProps) {
  return (
    <form
      className={className}
      noValidate
      onSubmit={event => {
        event.preventDefault()
        onSubmit()
      }}
    >
      {children}
    </form>
  )
}

/** A form of one field, with its button on the same line where there is room. */
export const LineForm = (form: Omit<FormProps, 'className'>) => <Form className={styles.line} {...form} />
