// overBucket runs a versitygw over a directory, whose files are the objects of its bucket "shared", while work uses it.
import {spawn} from 'node:child_process'
import {mkdirSync, rmSync} from 'node:fs'
import {createServer} from 'node:net'
import {join} from 'node:path'

export async function overBucket(server, held, work) {
	rmSync(held, {recursive: true, force: true})
	mkdirSync(join(held, 'shared'), {recursive: true})
	const port = await new Promise(free => {
		const s = createServer().listen(0, '127.0.0.1', () => {
			const {port} = s.address()
			s.close(() => free(port))
		})
	})
	const endpoint = `http://127.0.0.1:${port}`
	const gateway = spawn(server, ['--port', `127.0.0.1:${port}`, 'posix', held], {env: {...process.env, ROOT_ACCESS_KEY: 'key', ROOT_SECRET_KEY: 'hunter2hunter2'}, stdio: 'ignore'})
	try {
		for (let tries = 0; tries < 3000 && !(await fetch(endpoint).catch(() => null)); tries++) await new Promise(r => setTimeout(r, 10))
		Object.assign(process.env, {AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'hunter2hunter2', XDG_CACHE_HOME: join(held, 'cache')})
		await work(endpoint)
	} finally {
		gateway.kill()
	}
}
