import { expect } from 'chai';
import { programName } from '../../../plugins/import-crontab/lines/program-name.ts';

/** Commands, of Debian's packages among them, and what people would call what they run. */
const names: readonly (readonly [command: string, name: string])[] = [
  ['/usr/local/bin/backup.sh --all', 'backup'],
  [
    'test -x /usr/bin/certbot -a \\! -d /run/systemd/system && perl -e "sleep int(rand(43200))" && certbot -q renew',
    'certbot',
  ],
  [
    '[ -x /usr/lib/php/sessionclean ] && if [ ! -d /run/systemd/system ]; then /usr/lib/php/sessionclean; fi',
    'sessionclean',
  ],
  [
    'if [ -x /usr/share/mdadm/checkarray ] && [ $(date +%d) -le 7 ]; then /usr/share/mdadm/checkarray --cron --all; fi',
    'checkarray',
  ],
  ['command -v debian-sa1 > /dev/null && debian-sa1 1 1', 'debian-sa1'],
  ['[ -x /usr/share/awstats/tools/update.sh ] && /usr/share/awstats/tools/update.sh', 'update'],
  ['cd / && run-parts --report /etc/cron.hourly', 'run-parts'],
  ['cd /srv/app && /usr/bin/php artisan schedule:run >> /dev/null 2>&1', 'artisan'],
  ['pg_dump shop | gzip > /backup/shop.gz', 'pg_dump'],
  ['nice -n 10 ionice -c3 /opt/reports/daily.py', 'daily'],
  ['flock -n /run/lock/sync.lock rsync -a /a /b', 'rsync'],
  ['flock /tmp/x timeout 5m /usr/bin/python3 /opt/x/fetch_rates.py', 'fetch_rates'],
  ['sudo -u www-data php /var/www/cron.php', 'cron'],
  ['FOO=bar BAZ=1 ./do-it', 'do-it'],
  [`/bin/sh -c 'cd /srv && ./sync.sh "$(date)"'`, 'sync'],
  [`test -x /usr/bin/certbot && perl -e 'sleep int(rand(3600))' && certbot -q renew`, 'certbot'],
  ['[ `id -u` = 0 ] && (cd /srv; make-report)', 'make-report'],
  ['MAILTO=x', 'job'],
  ['sleep 10', 'job'],
  ['echo "dump of $(date +%F)"', 'echo'],
];

describe('The name of the program of a line', () => {
  for (const [command, name] of names)
    it(`is ${name} for ${command}`, () => {
      expect(programName(command)).to.equal(name);
    });
});
