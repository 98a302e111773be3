import { expect } from 'chai';
import { serviceUrlOf } from '../../../host/config/service-url.ts';

describe('The URL of a service', () => {
  const url = (settings: Partial<Parameters<typeof serviceUrlOf>[0]>) =>
    serviceUrlOf({ public_url: null, host: '127.0.0.1', port: 8080, tls_cert: null, ...settings });

  it('is the public one, or else that of this machine', () => {
    expect(url({ public_url: 'https://jobs.example.com' })).to.equal('https://jobs.example.com');
    expect(url({})).to.equal('http://127.0.0.1:8080');
    expect(url({ host: '0.0.0.0', tls_cert: 'cert.pem' })).to.equal('https://127.0.0.1:8080');
    expect(url({ host: '::', port: 80 })).to.equal('http://[::1]:80');
  });
});
