// Settings of accounts, sign-in and email.
import * as kind from './kinds.ts'
import { computed, setting, unset } from './setting.ts'

export const identitySettings = {
  signups: setting(
    'SVCD_SIGNUPS',
    kind.choice('open', 'invite', 'closed'),
    'invite',
    'who may create an account',
  ),
  deviceInterval: setting(
    'SVCD_DEVICE_INTERVAL',
    kind.whole(0, 60),
    5,
    'seconds between polls of a device login',
  ),
  accountGraceDays: setting(
    'SVCD_ACCOUNT_GRACE_DAYS',
    kind.whole(0, 365),
    7,
    'days for which a deleted account can be taken back',
  ),
  smtpUrl: setting(
    'SVCD_SMTP_URL',
    kind.secretUrl('smtp:', 'smtps:'),
    unset('none: no email'),
    'the mail server',
  ),
  mailFrom: setting(
    'SVCD_MAIL_FROM',
    kind.sender,
    computed('`svc <no-reply@<domain>>`', ({ platformDomain }) => `svc <no-reply@${platformDomain}>`),
    'the sender of email',
  ),
}
