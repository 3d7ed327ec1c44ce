// React's types leave out the attribute that makes a file picker choose folders.
import 'react'

declare module 'react' {
  interface InputHTMLAttributes<T> {
    webkitdirectory?: boolean
  }
}
