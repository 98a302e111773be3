import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { NativeRun } from './native-run.ts';

describe('The artifacts of a native job', () => {
  let native: NativeRun;
  before(() => {
    native = new NativeRun({ max_file_size: 1000, max_total_file_size: 2500, max_files: 5 });
  });
  after(() => native.close());
  const artifacts = (...paths: string[]) => paths.map((path) => ({ name: 'a', path, type: '' }));

  it('are its result file and the files that match a pattern, each with content, hash and media type', async () => {
    const { files, stderr } = await native.sh(
      'echo 1 > result.json; mkdir -p out/deep; echo 2 > out/deep/a.csv; echo 3 > other',
      {
        resultFile: 'result.json',
        artifacts: [{ name: 'tables', path: '^out/.*\\.csv$', type: '' }],
      },
    );
    const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
    expect(files).to.have.deep.members([
      { filename: 'result.json', contentType: 'application/json', sha256: sha256('1\n'), content: Buffer.from('1\n') },
      { filename: 'out/deep/a.csv', contentType: 'text/csv', sha256: sha256('2\n'), content: Buffer.from('2\n') },
    ]);
    expect(stderr).to.equal('');
  });

  it('are stored when the job fails, each only once, with the declared media type', async () => {
    const { exitCode, files } = await native.sh('echo 1 > a.bin; exit 1', {
      resultFile: './a.bin',
      artifacts: [{ name: 'a', path: 'a', type: 'Application/X-Thing' }, ...artifacts('bin')],
    });
    expect(exitCode).to.equal(1);
    expect(files.map(({ filename, contentType }) => [filename, contentType])).to.deep.equal([
      ['a.bin', 'application/x-thing'],
    ]);
  });

  it('include regular files only: no symbolic links, hard links, folders or pipes', async () => {
    const script = `
      ln -s /etc/passwd link.txt; ln -s /etc folder; mkfifo pipe.txt
      echo a > one.txt; ln one.txt two.txt; mkdir really.txt`;
    const { files, stderr } = await native.sh(script, { artifacts: artifacts('.') });
    expect(files).to.deep.equal([]);
    for (const name of ['link.txt', 'folder', 'pipe.txt']) {
      expect(stderr).to.contain(`[horarium: ${name} was not stored: it is not a regular file]\n`);
    }
    for (const name of ['one.txt', 'two.txt']) {
      expect(stderr).to.contain(`[horarium: ${name} was not stored: it has more than one hard link]\n`);
    }
  });

  it('include no progress file, unless it is in a folder', async () => {
    const script = 'echo 40 > "$HORARIUM_PROGRESS_FILE"; mkdir sub; touch sub/.horarium-progress';
    const { files } = await native.sh(script, { artifacts: artifacts('.') });
    expect(files.map(({ filename }) => filename)).to.deep.equal(['sub/.horarium-progress']);
  });

  it('include no file outside the working directory, whatever the path of the result file', async () => {
    for (const resultFile of ['/etc/passwd', '../../../../etc/passwd', 'a/../../x']) {
      expect(await native.sh('mkdir a', { resultFile })).to.deep.include({ exitCode: 0, files: [] });
    }
  });

  it('are limited in size and number, and stderr names each file that is not stored', async () => {
    const script = 'head -c 1001 /dev/zero > large; for n in 1 2 3; do head -c 1000 /dev/zero > f$n; done';
    const { files, stderr } = await native.sh(script, { artifacts: artifacts('.') });
    expect(files.map(({ content }) => content.length)).to.deep.equal([1000, 1000]);
    expect(stderr).to.contain('[horarium: large was not stored: it has 1001 bytes; a file may have at most 1000]\n');
    expect(stderr).to.match(/f[123] was not stored: the files of a job may have at most 2500 bytes together/);
    const many = await native.sh('touch 1 2 3 4 5 6', { artifacts: artifacts('.') });
    expect(many.files).to.have.lengthOf(5);
    expect(many.stderr).to.match(/^\[horarium: [1-6] was not stored: a job may have at most 5 files\]\n$/);
  });

  it('are matched in linear time, and stderr names an invalid pattern', async () => {
    const name = 'a'.repeat(200);
    const { files, stderr } = await native.sh(`touch ${name}`, { artifacts: artifacts('^(a+)+$x', '(a*)*b', '(') });
    expect(files).to.deep.equal([]);
    expect(stderr).to.equal('[horarium: "(" is not a regular expression that can be matched]\n');
  });

  it('are searched only to a limited depth and in a limited number of files', async () => {
    const makeNested = 'i=0; while [ $i -lt 60 ]; do mkdir d; cd d; i=$((i+1)); done; touch found';
    const nested = await native.sh(makeNested, { artifacts: artifacts('found') });
    expect(nested.files).to.deep.equal([]);
    expect(nested.stderr).to.contain('was not searched: it is nested deeper than 32 folders');
    const many = await native.sh('seq 20100 | xargs touch', { artifacts: artifacts('^none$') });
    expect(many.stderr).to.equal('[horarium: only the first 20000 files were searched]\n');
  });
});
