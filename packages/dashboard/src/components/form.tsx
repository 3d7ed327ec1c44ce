// A form that the page sends itself: the browser neither checks the fields nor leaves the page.
import type { ReactNode } from 'react'

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
