// nginx, Caddy and HAProxy as reverse proxies before an app that is there already, each on one core, with kept connections to it.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findTool } from '../scripts/tools.mjs'
import { child, freePort } from './children.mjs'

/** With `tls` (a certificate's files) it also listens by TLS and HTTP/2, at `tlsPort`. Bodies of any length pass as they come. */
export async function startNginxProxy(dir, { url }, tls) {
  const [port, tlsPort] = [await freePort(), await freePort()]
  const file = join(dir, 'proxy-nginx.conf')
  const secure = tls
    ? `listen 127.0.0.1:${tlsPort} ssl http2; ssl_certificate ${tls.cert}; ssl_certificate_key ${tls.key};`
    : ''
  writeFileSync(
    file,
    `worker_processes 1; daemon off; pid ${dir}/proxy-nginx.pid; error_log ${dir}/proxy-nginx.log;
${process.getuid?.() === 0 ? 'user root;' : ''}
events { worker_connections 1024; }
http {
  access_log off; keepalive_requests 1000000000; client_max_body_size 0;
  client_body_temp_path ${dir}; proxy_temp_path ${dir}; fastcgi_temp_path ${dir}; uwsgi_temp_path ${dir}; scgi_temp_path ${dir};
  upstream app { server ${new URL(url).host}; keepalive 64; keepalive_requests 1000000000; }
  server {
    listen 127.0.0.1:${port}; ${secure}
    location / {
      proxy_pass http://app; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_request_buffering off;
      proxy_set_header Host $host; proxy_set_header X-Forwarded-For $remote_addr;
    }
  }
}
`,
  )
  return { ...(await child([findTool('nginx'), '-c', file, '-e', `${dir}/proxy-nginx.log`], port)), tlsPort }
}

/** By TLS and HTTP/2 as well, at `tlsPort`. */
export async function startSecureCaddyProxy(dir, { url }, { cert, key }, host) {
  const [port, tlsPort] = [await freePort(), await freePort()]
  const [file, home] = [join(dir, 'proxy-Caddyfile'), join(dir, 'proxy-caddy-home')]
  mkdirSync(home)
  const pass = `reverse_proxy ${url}`
  writeFileSync(
    file,
    `{\n admin off\n auto_https off\n}\nhttp://:${port} {\n ${pass}\n}
https://${host}:${tlsPort} {\n tls ${cert} ${key}\n ${pass}\n}\n`,
  )
  const env = { ...process.env, HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home, GOMAXPROCS: '1' }
  const command = [findTool('caddy'), 'run', '--config', file, '--adapter', 'caddyfile']
  return { ...(await child(command, port, env)), tlsPort }
}

export async function startHaproxyProxy(dir, { url }) {
  const port = await freePort()
  const file = join(dir, 'proxy-haproxy.cfg')
  writeFileSync(
    file,
    `global
  nbthread 1
  maxconn 1024
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  option forwardfor
  http-reuse always
frontend all
  bind 127.0.0.1:${port}
  default_backend app
backend app
  server app ${new URL(url).host}
`,
  )
  return await child([findTool('haproxy'), '-db', '-f', file], port)
}
