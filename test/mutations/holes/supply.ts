import type { Hole } from '../hole.ts';

const compose = 'docker-compose.yml';
const composeTest = (title: string) => ({ file: 'test/deploy/compose.test.ts', title: `docker-compose.yml ${title}` });
const imageTest = (title: string) => ({ file: 'test/deploy/compose.test.ts', title: `the Dockerfile ${title}` });
const roles = 'docs/deploy/postgres-roles.sh';
const rolesTest = (title: string) => ({
  file: 'test/deploy/postgres-roles.services.test.ts',
  title: `the roles that are made by docs/deploy/postgres-roles.sh ${title}`,
});
const signatures = '.ci/check-signatures.ts';
const signaturesTest = (title: string) => ({
  file: 'test/ci/check-signatures.test.ts',
  title: `.ci/check-signatures.ts ${title}`,
});
const packagesTest = (title: string) => ({ file: 'test/ci/packages.test.ts', title: `the packages ${title}` });

export const supply: readonly Hole[] = [
  {
    name: 'The containers keep a capability',
    file: compose,
    find: '  cap_drop: [ALL]\n',
    replace: '  cap_drop: [ALL]\n  cap_add: [NET_RAW]\n',
    test: composeTest('the service app has no capability, and no way to more rights'),
  },
  {
    name: 'A process in a container may get more rights',
    file: compose,
    find: '  security_opt: ["no-new-privileges:true"]\n',
    replace: '',
    test: composeTest('the service database has no capability, and no way to more rights'),
  },
  {
    name: 'The service runs as root',
    file: compose,
    find: 'user: node',
    replace: 'user: root',
    test: composeTest('the service app does not run as root'),
  },
  {
    name: 'The containers may change their own files',
    file: compose,
    find: '  read_only: true\n',
    replace: '',
    test: composeTest('the service app writes to no file of its image or of the machine'),
  },
  {
    name: 'The proxy may change its configuration',
    file: compose,
    find: '/etc/nginx/nginx.conf:ro',
    replace: '/etc/nginx/nginx.conf',
    test: composeTest('the service proxy writes to no file of its image or of the machine'),
  },
  {
    name: 'Redis may take all memory',
    file: compose,
    find: '    mem_limit: 256m\n    pids_limit: 64\n',
    replace: '    pids_limit: 64\n',
    test: composeTest('the service redis has a limit of memory and of processes'),
  },
  {
    name: 'The database may be reached from outside',
    file: compose,
    find: '    user: postgres\n',
    replace: '    user: postgres\n    ports: ["5432:5432"]\n',
    test: composeTest('opens the ports of the proxy alone'),
  },
  {
    name: 'Database and Redis reach the outside',
    file: compose,
    find: 'internal: true',
    replace: 'internal: false',
    test: composeTest('keeps the database and Redis where neither the proxy nor the world reaches them'),
  },
  {
    name: "The service is the database's superuser",
    file: compose,
    find: `DATABASE_URL: postgresql://advisory_chat:\${DATABASE_PASSWORD}`,
    replace: `DATABASE_URL: postgresql://postgres:\${POSTGRES_PASSWORD}`,
    test: composeTest('gives the service a login that serves, one for migrations, and never the superuser'),
  },
  {
    name: "The service is given the superuser's password",
    file: compose,
    find: '      POSTGRES_PASSWORD: ""\n',
    replace: '',
    test: composeTest('gives the service a login that serves, one for migrations, and never the superuser'),
  },
  {
    name: 'Redis asks for no password',
    file: compose,
    find: `, --requirepass, "\${REDIS_PASSWORD}"]`,
    replace: ']',
    test: {
      file: 'test/deploy/redis.services.test.ts',
      title: 'the Redis of docker-compose.yml answers who knows its password, and nobody else',
    },
  },
  {
    name: 'The password of the login that serves may be empty',
    file: compose,
    find: `\${DATABASE_PASSWORD:?set it in .env}`,
    replace: `\${DATABASE_PASSWORD}`,
    test: composeTest('starts with no password that is empty: each is asked for, and is in .env.example'),
  },
  {
    name: 'The image runs as root',
    file: 'Dockerfile',
    find: 'USER node\n',
    replace: '',
    test: imageTest('ends with an image that runs as a user who owns none of its files, and that runs nothing as root'),
  },
  {
    name: 'The image has npm in it',
    file: 'Dockerfile',
    find: '/usr/local/lib/node_modules /usr/local/bin/npm ',
    replace: '',
    test: imageTest('ends with an image that has no package manager and only what runs'),
  },
  {
    name: 'Install scripts run while the image is built',
    file: 'Dockerfile',
    find: 'npm ci --omit=dev --ignore-scripts',
    replace: 'npm ci --omit=dev',
    test: imageTest('runs no install script of any package'),
  },
  {
    name: 'Secrets get into the image',
    file: '.dockerignore',
    find: '!server\n',
    replace: '!server\n!.env\n',
    test: imageTest('is built from named folders alone, so that neither secrets nor the history get near it'),
  },
  {
    name: 'The login that serves passes row-level security',
    file: roles,
    find: 'login noinherit nosuperuser nobypassrls',
    replace: 'login noinherit nosuperuser bypassrls',
    test: rolesTest('are no superusers, make no roles or databases, and pass no row-level security'),
  },
  {
    name: "The login that serves has the tenant role's rights without becoming it",
    file: roles,
    find: 'login noinherit',
    replace: 'login inherit',
    test: rolesTest('keep the login that serves from what is not the tenant role’s'),
  },
  {
    name: 'The login that serves may become the owner',
    file: roles,
    find: 'grant advisory_chat_tenant to advisory_chat;\n',
    replace: 'grant advisory_chat_tenant to advisory_chat;\ngrant advisory_chat_owner to advisory_chat;\n',
    test: rolesTest('let the login that serves become the tenant role, and nobody else'),
  },
  {
    name: 'Every login of the server may connect to the database',
    file: roles,
    find: 'revoke all on database advisory_chat from public;\n',
    replace: '',
    test: rolesTest('are let in with their own passwords alone, and nobody else at all'),
  },
  {
    name: 'A login is made without a password',
    file: roles,
    find: '    return 1\n',
    replace: '',
    test: {
      file: 'test/deploy/postgres-roles.services.test.ts',
      title: 'docs/deploy/postgres-roles.sh makes nothing where a password is missing, and says which',
    },
  },
  {
    name: 'Another package may run a script when it is installed',
    file: 'package.json',
    find: '    "node": true\n',
    replace: '    "node": true,\n    "vite": true\n',
    test: packagesTest('run no script when they are installed, but those that package.json allows by name'),
  },
  {
    name: 'A package may come in another version than the one that was looked at',
    file: 'package.json',
    find: '"express": "5.3.0"',
    replace: '"express": "^5.3.0"',
    test: packagesTest('that the project names have exact versions'),
  },
  {
    name: 'The lockfile decides where packages come from',
    file: '.npmrc',
    find: 'omit-lockfile-registry-resolved=true',
    replace: 'omit-lockfile-registry-resolved=false',
    test: packagesTest('all come from the registry, each with the hash that it has to have'),
  },
  {
    name: 'A wrong signature passes',
    file: signatures,
    find: 'of invalid) fail(',
    replace: 'of invalid) say(',
    test: signaturesTest('fails where a signature is wrong, and names the package'),
  },
  {
    name: 'A missing signature passes',
    file: signatures,
    find: 'of missing) fail(',
    replace: 'of missing) say(',
    test: signaturesTest('fails where the registry signs, and a package has no signature'),
  },
  {
    name: 'A check of signatures that broke off passes',
    file: signatures,
    find: 'fail(`The signatures could not be checked',
    replace: 'say(`The signatures could not be checked',
    test: signaturesTest('fails where npm answers nothing'),
  },
  {
    name: 'CI checks no signatures',
    file: '.ci/run',
    find: "step 'Signatures of the packages' npx node .ci/check-signatures.ts\n",
    replace: '',
    test: signaturesTest('is a step of CI, which stops where it fails'),
  },
  {
    name: 'The bill of materials leaves out what the browser runs',
    file: '.ci/sbom.ts',
    find: '[...Object.keys(dependencies), ...packagesOfTheClient()]',
    replace: 'Object.keys(dependencies)',
    test: {
      file: 'test/ci/sbom.test.ts',
      title: 'npm run sbom lists the packages that the browser runs, and none that only development needs',
    },
  },
  {
    name: 'The bill of materials names direct dependencies alone',
    file: '.ci/sbom.ts',
    find: '  waiting.push(...(needs.get(ref) ?? []));\n',
    replace: '',
    test: {
      file: 'test/ci/sbom.test.ts',
      title: 'npm run sbom lists every package that the server runs, with its hash',
    },
  },
  {
    name: 'A hash is one that can be broken',
    file: 'server/limits/limiter.ts',
    find: "createHash('sha256')",
    replace: "createHash('md5')",
    test: {
      file: 'test/ci/cryptography.test.ts',
      title: "cryptography in our own code is Node's and the browser's alone, with SHA-256 or longer and no cipher",
    },
  },
  {
    name: 'Plug-ins may be embedded in pages',
    file: 'server/http/replies/security-headers.ts',
    find: 'objectSrc: none,',
    replace: '',
    test: {
      file: 'test/server/http/replies/response-headers.test.ts',
      title: 'the headers for browsers are on /nowhere where it is 404',
    },
  },
  {
    name: 'A package has no line in the page of dependencies',
    file: 'docs/dependencies.md',
    find: '| `ulid` | 3.0.2 |',
    replace: '| `ulidx` | 3.0.2 |',
    test: {
      file: 'test/docs/dependencies.test.ts',
      title: 'docs/dependencies.md has a row for each package of package.json and for no other',
    },
  },
  {
    name: 'A requirement is called met, and no test shows it',
    file: 'docs/security.md',
    find: '[get a new id at sign-in, and the old one is dead]',
    replace: '[get a new id when the moon is full]',
    test: {
      file: 'test/docs/security.test.ts',
      title:
        'docs/security.md its table of the OWASP ASVS calls nothing met that no test shows: each title is in its file',
    },
  },
];
