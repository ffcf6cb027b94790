import { expect, test } from 'bun:test';
import { wallMs } from './clock.ts';
import { createLog, formatLine } from './log.ts';

test('an entry is one line with level, time, component, message and fields', () => {
  const line = formatLine('warn', wallMs(0), 'agent', 'child\nended', {
    code: 1,
    use: 'live GR/T27',
    none: undefined,
  });
  expect(line).toBe('WARN  1970-01-01T00:00:00.000Z agent child ended code=1 use="live GR/T27"');
  expect(formatLine('info', wallMs(0), 'x', 'm', { bad: 'a\nb' })).not.toContain('\n');
});

test('levels below the threshold are not written', () => {
  const lines: string[] = [];
  const log = createLog({ level: 'warn', now: () => wallMs(0), write: (line) => lines.push(line) }).component(
    'live',
  );
  log.debug('a');
  log.info('b');
  log.warn('c');
  log.error('d', { tuner: 'fake0' });
  expect(lines).toEqual([
    'WARN  1970-01-01T00:00:00.000Z live c\n',
    'ERROR 1970-01-01T00:00:00.000Z live d tuner=fake0\n',
  ]);
});
