import type { ButtonHTMLAttributes, ReactNode } from 'react'
import { Link } from 'wouter'
import styles from './button.module.css'
import { Icon, type IconName } from './icon.tsx'

type Look = 'primary' | 'plain' | 'quiet' | 'danger'

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: Look
  size?: 'small' | 'normal' | 'large'
  icon?: IconName
  /** Whether the action is under way. The button then keeps the focus, but does nothing. */
  busy?: boolean
}

const classes = (look: Look, size: string, extra = '') =>
  [styles.button, styles[look], styles[size], extra].filter(Boolean).join(' ')

export function Button({
  look = 'plain',
  size = 'normal',
  icon,
  busy = false,
  className,
  onClick,
  children,
  type = 'button',
  ...rest
}: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      aria-disabled={busy || rest.disabled || undefined}
      className={classes(look, size, className)}
      onClick={event => (busy ? event.preventDefault() : onClick?.(event))}
    >
      {busy ? <span className={styles.spinner} aria-hidden="true" /> : icon && <Icon name={icon} />}
      {children}
    </button>
  )
}

interface IconButtonProps extends Omit<ButtonProps, 'children' | 'icon'> {
  icon: IconName
  label: string
}

export function IconButton({ icon, label, look = 'quiet', className = '', ...rest }: IconButtonProps) {
  return (
    <Button
      {...rest}
      look={look}
      aria-label={label}
      data-tip={label}
      className={`${styles.icon} ${className}`}
    >
      <Icon name={icon} />
    </Button>
  )
}

interface LinkProps {
  href: string
  look?: Look
  size?: 'small' | 'normal' | 'large'
  icon?: IconName
  children: ReactNode
}

/** A link within the dashboard that looks like a button. */
export function LinkButton({ href, look = 'plain', size = 'normal', icon, children }: LinkProps) {
  return (
    <Link href={href} className={classes(look, size)}>
      {icon && <Icon name={icon} />}
      {children}
    </Link>
  )
}

/** A link to a site, opened beside the dashboard. */
export function SiteButton({ href, look = 'plain', size = 'normal', children }: LinkProps) {
  return (
    <a href={href} target="_blank" rel="noreferrer" className={classes(look, size)}>
      {children}
      <Icon name="arrowUpRight" />
    </a>
  )
}
