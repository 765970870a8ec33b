import { chmod, cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

/** What a run neither needs nor may touch; the packages are shared. */
const leftOut = new Set(['node_modules', '.git', '.data', '.env', 'certs', 'dist', 'test-results']);

/**
 * Copies of the project in a temporary directory. All are made from one that is taken now, so that they do not follow
 * what is edited meanwhile.
 */
export async function createCopies(root: string) {
  const home = await mkdtemp(join(tmpdir(), 'advisory-chat-mutations-'));
  // A PostgreSQL that a test starts runs as another user and keeps its data below.
  await chmod(home, 0o711);

  async function copy(from: string, name: string): Promise<string> {
    const path = join(home, name);
    await cp(from, path, { recursive: true, filter: (source) => !leftOut.has(relative(from, source)) });
    await symlink(join(root, 'node_modules'), join(path, 'node_modules'), 'dir');
    return path;
  }

  const original = await copy(root, 'original');
  let copies = 0;

  return {
    original,

    /** Runs `work` in a copy that is there for that long. `path/.temporary` is for temporary files. */
    async withCopy<T>(work: (path: string) => Promise<T>): Promise<T> {
      copies += 1;
      const path = await copy(original, String(copies));
      await mkdir(join(path, '.temporary'));
      try {
        return await work(path);
      } finally {
        await rm(path, { recursive: true, force: true });
      }
    },

    remove: () => rm(home, { recursive: true, force: true }),
  };
}
