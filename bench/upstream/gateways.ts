import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const example = join(import.meta.dirname, '../../deploy/gateways/nginx.conf')

interface Ports {
  upstream: number
  finmeter: number
  /** Where nginx passes requests on, and where it asks Finmeter first. */
  plain: number
  door: number
}

/** nginx before the upstream, on its own and with deploy/gateways/nginx.conf; both without TLS and logs. */
export function gateways({ upstream, finmeter, plain, door }: Ports, serviceKey: string): string {
  const asking = readFileSync(example, 'utf8')
    .replace('listen 443 ssl http2', `listen 127.0.0.1:${door}`)
    .replace(/ssl_certificate.*;/g, '')
    .replace(/access_log .*;/, 'access_log off;')
    .replace('127.0.0.1:3000', `127.0.0.1:${finmeter}`)
    .replace('127.0.0.1:8080', `127.0.0.1:${upstream}`)
    .replace('fms_REPLACE', serviceKey)
  return `keepalive_requests 10000000; ${asking}
upstream plain { server 127.0.0.1:${upstream}; keepalive 64; }
server { listen 127.0.0.1:${plain}; access_log off;
  location / { proxy_pass http://plain; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host $host; } }`
}
